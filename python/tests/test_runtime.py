"""Threads, signals, forks and the end of the interpreter: no crash, no hang."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import bootfold as bf

X = np.random.default_rng(4).gamma(2.0, size=2000)


def run_program(program, *, timeout=60, **arguments):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=timeout,
        **arguments,
    )


def interrupted(call):
    """Sends Ctrl-C a second into the work, and returns the processor time until it ended."""
    program = f"""
    import os, signal, sys, threading, time
    import numpy as np, bootfold as bf
    x = np.random.default_rng(1).normal(size=1_000_000)
    sent = []
    def send():
        time.sleep(1.0)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send, daemon=True).start()
    try:
        {call}
    except KeyboardInterrupt:
        print(time.process_time() - sent[0])
    """
    found = run_program(program)
    assert found.returncode == 0, found.stderr
    return float(found.stdout)


@pytest.mark.parametrize(
    "call",
    [
        "bf.bootstrap(x, 'mean', replicates=10_000_000, threads=2)",
        "bf.bootstrap(x, 'trimmed_mean:0.1', replicates=1_000_000, threads=2)",
        "bf.bootstrap(x, np.ptp, replicates=1_000_000, threads=2)",
        "bf.bootstrap(x, lambda v: v[0], replicates=1_000_000, threads=2)",
        "bf.bootstrap(x, bf.sums(lambda v: (v, v * v), lambda m: m[0]),"
        " replicates=10_000_000, threads=2)",
    ],
)
def test_ctrl_c_ends_the_work_within_a_second(call):
    assert interrupted(call) < 2.0  # two threads


# A thread that counts continues while the library works. With the GIL held it could count once
# between two calls at most.
def test_the_gil_is_released():
    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    x = np.random.default_rng(1).normal(size=1_000_000)
    found = 0
    for _ in range(5):
        before = counted
        bf.bootstrap(x, "mean", replicates=1000, threads=1)
        found += counted - before
    stop.set()
    thread.join()
    assert found > 10


def test_many_threads_at_once():
    expected = bf.bootstrap(X, ["mean", "median"], replicates=500, seed=7)
    ranges = bf.bootstrap(X, np.ptp, replicates=500, seed=7)
    shared = bf.bootstrap(X, "mean", replicates=500, seed=7)
    failed = []

    def work():
        try:
            for _ in range(5):
                again = bf.bootstrap(X, ["mean", "median"], replicates=500, seed=7)
                np.testing.assert_array_equal(again.replicates, expected.replicates)
                again = bf.bootstrap(X, np.ptp, replicates=500, seed=7)
                np.testing.assert_array_equal(again.replicates, ranges.replicates)
                shared.interval("bca")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_fork_after_use():
    expected = bf.bootstrap(X, "mean", replicates=2000, seed=7).replicates
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            again = bf.bootstrap(X, "mean", replicates=2000, seed=7).replicates
            code = 0 if np.array_equal(again, expected) else 2
        finally:
            os._exit(code)
    os.close(reading)
    os.close(writing)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_fork_while_another_thread_works():
    found = run_program("""
    import multiprocessing, threading, numpy as np, bootfold as bf
    x = np.random.default_rng(1).normal(size=200_000)
    def child(_):
        return float(bf.bootstrap(x[:1000], "mean", replicates=100, seed=7).replicates[0])
    thread = threading.Thread(target=lambda: bf.bootstrap(x, "mean", replicates=3000))
    thread.start()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(child, range(4))
    thread.join()
    print(len(set(found)))
    """)
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "1"


@pytest.mark.parametrize(
    "call",
    [
        "bf.bootstrap(x, 'mean', replicates=100_000_000)",
        "bf.bootstrap(x, np.ptp, replicates=100_000_000)",
        "[bf.bootstrap(x[:100], 'mean', replicates=1000) for _ in range(10**9)]",
    ],
)
def test_the_interpreter_may_end_while_a_daemon_thread_works(call):
    found = run_program(f"""
    import threading, time, numpy as np, bootfold as bf
    x = np.random.default_rng(1).normal(size=100_000)
    threading.Thread(target=lambda: {call}, daemon=True).start()
    time.sleep(0.5)
    """)
    assert found.returncode == 0, found.stderr
    assert "terminate" not in found.stderr and "Fatal" not in found.stderr


def test_sys_exit_in_a_function():
    with pytest.raises(SystemExit):
        bf.bootstrap(X, lambda x: sys.exit(3), replicates=10)


# Threads that draw the next batch must be gone when an exception has left.
def test_an_exception_leaves_no_threads_behind():
    def count():
        return len(os.listdir("/proc/self/task"))

    def fails(x, axis, calls=[]):  # noqa: B006
        calls.append(1)
        if len(calls) % 3 == 0:
            raise RuntimeError("oh")
        return x.max(axis=axis)

    before = count()
    for _ in range(5):
        with pytest.raises(RuntimeError, match="oh"):
            bf.bootstrap(X, fails, replicates=100_000)
    # A thread that was joined is still listed for a moment while the kernel buries it.
    end = time.monotonic() + 5
    while count() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert count() <= before


class TestProgress:
    @pytest.mark.parametrize("statistic", ["mean", np.ptp])
    def test_a_function_is_told(self, statistic):
        told = []
        x = np.random.default_rng(1).normal(size=100_000)
        bf.bootstrap(
            x, statistic, replicates=300, progress=lambda done, total: told.append(done / total)
        )
        assert told[-1] == 1.0
        assert told == sorted(told)

    def test_a_bar_is_shown(self, capfd):
        bf.bootstrap(X, "mean", replicates=10_000, progress=True)
        assert "replicates" in capfd.readouterr().err

    def test_an_exception_of_the_function_ends_the_work(self):
        def fails(done, total):
            raise KeyError("oh")

        with pytest.raises(KeyError):
            bf.bootstrap(X, "mean", replicates=200_000, progress=fails)


def test_recursion():
    inner = bf.bootstrap(
        X, lambda x: bf.bootstrap(x[:50], "mean", replicates=20).bias, replicates=20
    )
    assert np.isfinite(inner.replicates).all()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_batch_stays_inside_the_memory_budget():
    found = run_program("""
    import resource, numpy as np, bootfold as bf
    x = np.random.default_rng(1).normal(size=10_000)
    bf.bootstrap(x, np.ptp, replicates=100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bf.bootstrap(x, np.ptp, replicates=20_000, memory="64MB")
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    """)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) < 64
