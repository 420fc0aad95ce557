"""The program bootfold on Parquet files and queries: the package reads them, and the compiled
program gets them as CSV on a pipe.

Numbers are written so that the program reads the same doubles. Only the columns that the command
names are read, or all if it names none.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from bootfold._table_source import TableSource, needs, table_source

_PARQUET = (".parquet", ".pq")
# Options whose values are columns. Those of inputs that a file need not name are not complete.
_COLUMNS = (
    *("--column", "--value", "--by", "--pair", "--strata", "--cluster", "--probabilities"),
    *("--weights", "--frequencies", "--target", "--input", "--keep"),
)
_ALL = ("--ignore",)
_FILES = ("--validation", "--training")  # options whose values are files with rows
_OUTPUTS = ("--output", "--save", "--checkpoint")
_NESTED = re.compile(r"(large_|fixed_size_)?(list|struct|map)|.*\[\]$")  # types without a text
_USAGE = 2


class _Usage(Exception):
    """A message for the person at the terminal."""


@dataclass
class _Command:
    """What a command line says about tables."""

    arguments: list[str] = field(default_factory=list)  #: "-" in place of the table
    table: TableSource | None = None
    others: list[tuple[int, TableSource]] = field(default_factory=list)  #: place among arguments
    named: list[str] = field(default_factory=list)  #: columns
    expressions: list[str] = field(default_factory=list)
    all: bool = False


def run(program: str, arguments: list[str]) -> int:
    """Runs the program, and returns the code that it ends with."""
    try:
        command = _parsed(arguments)
        if command.table is None and not command.others:
            return subprocess.call([program, *arguments])
        return _piped(program, command)
    except _Usage as error:
        print(f"bootfold: {error}", file=sys.stderr)
        return _USAGE


def _parsed(arguments: list[str]) -> _Command:
    command = _Command()
    files: list[str] = []
    query: str | None = None
    place = -1
    before = ""
    for option, word in _words(arguments):
        if option == "--sql":
            if query is not None:
                raise _Usage("--sql is given several times; give one query")
            query, place = word, len(command.arguments)
        elif option in _FILES and _is_table(word):
            command.arguments += [option, word]
            command.others.append((len(command.arguments) - 1, _opened(word)))
        elif not option and _is_table(word) and not _is_value(word, before):
            place = len(command.arguments) if not files else place
            files.append(word)
        else:
            command.arguments += [text for text in (option, word) if text]
            if option in _COLUMNS:
                command.named += word.split(",")
            elif option == "--where":
                command.expressions.append(word)
            command.all = command.all or option in _ALL
        before = option if not word else ""
    if query is not None and files:
        raise _Usage(f"--sql is given beside {files[0]}; name the file in the query")
    if query is not None:
        command.table = _query(query)
    elif files:
        command.table = _opened(*files)
    if command.table is not None:
        command.arguments.insert(place, "-")
        command.others = [(at + (at >= place), source) for at, source in command.others]
    first = command.arguments[:2]
    by_model = first in (["ensemble", "predict"], ["ensemble", "evaluate"])
    by_target = first == ["ensemble", "train"] and "--input" not in command.arguments
    command.all = command.all or by_model or by_target or not command.named
    return command


def _is_value(word: str, before: str) -> bool:
    """Is a word the value of the option before it, and not a table?"""
    return before in _OUTPUTS or (bool(before) and os.path.isdir(word))


def _words(arguments: list[str]) -> Iterator[tuple[str, str]]:
    """(option, value), ("", argument) or (option, "") for each word or pair of words."""
    takes_value = (*_COLUMNS, *_ALL, *_FILES, "--sql", "--where")
    left = iter(arguments)
    for word in left:
        option, equals, value = word.partition("=")
        if not word.startswith("--"):
            yield "", word
        elif equals and option in takes_value:
            yield option, value
        elif word in takes_value:
            after = next(left, None)
            if after is None:
                raise _Usage(f"{word} needs a value")
            yield word, after
        else:
            yield word, ""


def _is_table(word: str) -> bool:
    if os.path.isdir(word):
        return any(name.endswith(_PARQUET) for _, _, names in os.walk(word) for name in names)
    return word.endswith(_PARQUET)


def _opened(*files: str) -> TableSource:
    try:
        found = table_source([Path(file) for file in files])
    except (ImportError, OSError, ValueError) as error:
        raise _Usage(error) from None
    assert found is not None
    return found


def _query(query: str) -> TableSource:
    from bootfold._table_duckdb import sql

    try:
        return sql(query)
    except (ImportError, ValueError) as error:
        raise _Usage(error) from None


def _columns(source: TableSource, command: _Command) -> list[str]:
    """The columns that the program may ask for."""
    if command.all or not set(command.named) <= set(source.names):
        # Numbers of columns, or a name that the program complains about.
        return [n for n, t in zip(source.names, source.types, strict=True) if not _NESTED.match(t)]
    found = set(command.named)
    for text in command.expressions:
        found |= {name for name in source.names if name in text}
    return [name for name in source.names if name in found]


def _piped(program: str, command: _Command) -> int:
    needs("pyarrow.csv", "reading Parquet files and queries", "arrow")
    folder = tempfile.mkdtemp(prefix="bootfold-")
    jobs: list[tuple[TableSource, list[str], Any]] = []
    arguments = list(command.arguments)
    try:
        for number, (place, source) in enumerate(command.others):
            pipe = os.path.join(folder, f"{number + 1}.csv")
            os.mkfifo(pipe)
            arguments[place] = pipe
            jobs.append((source, source.names, pipe))
        if not any(word.partition("=")[0] == "--header" for word in arguments):
            arguments += ["--header", "yes"]
        if command.table is not None:
            jobs.insert(0, (command.table, _columns(command.table, command), None))
        for source, columns, _ in jobs:
            _check(source, columns)
        return _Child(program, arguments, command.table is not None).feed(jobs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(source: TableSource, columns: list[str]) -> None:
    try:
        source.check(columns)
    except ValueError as error:
        raise _Usage(error) from None


class _Child:
    """The compiled program at work. It dies with this process, so that it never takes the rows
    that were written so far for all of them."""

    def __init__(self, program: str, arguments: list[str], piped: bool) -> None:
        library = ctypes.CDLL(None)

        def dies_with_its_parent() -> None:
            library.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

        self._error: Exception | None = None
        self._process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE if piped else None,
            preexec_fn=dies_with_its_parent if sys.platform == "linux" else None,
        )

    def feed(self, jobs: list[tuple[TableSource, list[str], Any]]) -> int:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells the program as well
        signal.signal(signal.SIGTERM, lambda *_: self._process.terminate())
        threads = [threading.Thread(target=self._write, args=job, daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        code = self._process.wait()
        for thread in threads:
            thread.join(timeout=1.0)
        if self._error is not None:
            raise _Usage(self._error)
        return code if code >= 0 else 128 - code

    def _write(self, source: TableSource, columns: list[str], pipe: str | None) -> None:
        try:
            file = self._process.stdin if pipe is None else open(pipe, "wb")  # noqa: SIM115
            assert file is not None
            try:
                _write_csv(source, columns, file)
            except BaseException as error:
                if not _is_closed_pipe(error):
                    self._process.kill()  # before it sees the end of the pipe
                    self._process.wait()
                raise
            finally:
                with contextlib.suppress(BrokenPipeError):
                    file.close()
        except Exception as error:
            if not _is_closed_pipe(error):
                self._error = error


def _is_closed_pipe(error: BaseException) -> bool:
    """The program needs no more rows: it has found an error, or has ended."""
    return isinstance(error, BrokenPipeError) or "Broken pipe" in str(error)


def _write_csv(source: TableSource, columns: list[str], file: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.csv

    header = True
    for batch in source.batches(columns):
        table = pa.table([_plain(batch[name]) for name in columns], names=columns)
        pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(include_header=header))
        header = False
    if header:
        table = pa.table({name: pa.array([], pa.string()) for name in columns})
        pyarrow.csv.write_csv(table, file)


def _plain(column: Any) -> Any:
    """A column with a type whose text the program reads: numbers as doubles or integers."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_null(column.type):
        return column.cast(pa.string())
    if types.is_boolean(column.type):
        return column.cast(pa.int8())
    if types.is_floating(column.type):
        return column.cast(pa.float64())
    return column
