"""What test_mpi.py runs on every rank: each function is one test of several ranks.

mpirun -n 3 python tests/engines/mpi_program.py FOLDER
"""

import sys
import traceback
import types
import warnings

import conftest
import numpy as np
from conftest import OPTIONS, ROWS, same, same_values
from mpi4py import MPI

import bootfold as bf
from bootfold import _mpi_ranks

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()
FRAME = conftest.rows()
X = FRAME["x"].to_numpy()
#: The rows of ranks are of different lengths; with more than two ranks, rank 1 has none.
WIDTHS = np.array([0 if rank == 1 and SIZE > 2 else rank + 1 for rank in range(SIZE)])
CUTS = [0, *(np.cumsum(WIDTHS) * ROWS // WIDTHS.sum())]
OWN = slice(CUTS[RANK], CUTS[RANK + 1])


def whole(statistic, columns="x", **options):
    """What one process makes of all rows."""
    return bf.bootstrap(FRAME, statistic, columns=columns, **{**OPTIONS, **options})


def shared(data, statistic, **options):
    """The result of all ranks."""
    return bf.bootstrap(data, statistic, engine=COMM, **{**OPTIONS, **options})


def on_all_ranks(kind, text, call):
    """Asserts that every rank raises the same error."""
    try:
        call()
    except kind as error:
        told = str(error) + "".join(getattr(error, "__notes__", []))
        assert text in told, told
        assert len(set(COMM.allgather(str(error)))) == 1
    else:
        raise AssertionError(f"rank {RANK} raised nothing")


def arrays():
    for statistic in ("mean", "median", "variance", ["mean", "sum"]):
        assert same(shared(X[OWN], statistic), whole(statistic)), statistic
    assert same(shared(list(X[OWN]), "mean"), whole("mean"))
    both = FRAME[["x", "y"]].to_numpy()
    found = shared(both[OWN] if RANK != 1 or SIZE < 3 else [], "correlation")
    assert same_values(found, whole("correlation", ["x", "y"]))
    assert same(shared(FRAME["few"].to_numpy()[OWN], "mean"), whole("mean", "few"))
    sets = shared(both[OWN].T, "mean", axis=1)
    assert sets.estimate.shape == (2,) and same_values(sets, whole("mean", ["x", "y"]))


def options_of_a_call():
    assert same(shared(X[OWN], "mean", scheme="poisson"), whole("mean", scheme="poisson"))
    assert same(shared(X[OWN], "mean", size=500), whole("mean", size=500))
    found = bf.bootstrap(X[OWN], "mean", engine="mpi", threads=1, memory="32M", **OPTIONS)
    assert same(found, whole("mean"))
    assert found.interval(confidence=0.8) == whole("mean").interval(confidence=0.8)


def tables():
    own = FRAME.iloc[OWN]
    for statistic, columns in [("mean", "x"), ("mean", ["x", "y"]), ("correlation", ["x", "y"])]:
        assert same(shared(own, statistic, columns=columns), whole(statistic, columns))
    for role in ("strata", "clusters"):
        labelled = FRAME.assign(of=np.arange(ROWS) // 7 if role == "clusters" else FRAME["group"])
        expected = bf.bootstrap(labelled, "mean", columns="x", **{role: "of"}, **OPTIONS)
        found = shared(labelled.iloc[OWN], "mean", columns="x", **{role: "of"})
        assert same_values(found, expected), role
    import pyarrow

    table = pyarrow.Table.from_pandas(own, preserve_index=False)
    assert same(shared(table, "mean", columns="x"), whole("mean"))


def files_and_iterators():
    path = f"{sys.argv[1]}/{SIZE}-{RANK}"
    FRAME.iloc[OWN].to_parquet(f"{path}.parquet", index=False)
    np.save(f"{path}.npy", X[OWN])
    for options in ({}, {"memory": "32M"}):
        found = shared(f"{path}.parquet", "median", columns="x", **options)
        assert same(found, whole("median"))
        assert same(shared(f"{path}.npy", "mean", **options), whole("mean"))
    found = shared(f"{path}.parquet", "mean", columns="x", strata="group")
    assert same_values(found, whole("mean", strata="group"))
    batches = iter(np.array_split(X[OWN], 3))
    assert same(shared(batches, "mean"), whole("mean"))


def expressions():
    path = f"{sys.argv[1]}/{SIZE}-{RANK}-expressions.parquet"
    FRAME.iloc[OWN].to_parquet(path, index=False)
    for statistic in conftest.EXPRESSIONS:
        expected = whole(statistic, None)
        for data in (FRAME.iloc[OWN], path, iter([FRAME.iloc[OWN]])):
            assert same(shared(data, statistic), expected), statistic
    assert same(shared(path, "mean", columns="log(x)"), whole("mean", "log(x)"))
    found = shared(FRAME, "mad(log(x))", split="replicates", replicates=20)
    assert same_values(found, whole("mad(log(x))", None, replicates=20))
    given = {"by": "group", "value": "log(x)", **OPTIONS}
    compared = bf.compare(path, engine=COMM, **given)
    assert compared.equals(bf.compare(FRAME, **given))
    own = FRAME.iloc[OWN].rename(columns={"x": "z"} if RANK == SIZE - 1 else {})
    on_all_ranks(ValueError, "no column 'x'", lambda: shared(own, "mean(log(x))"))


def more_rows_than_a_block_of_counts():
    values = np.sqrt(np.arange(2_300_000))
    cuts = [len(values) * rank // SIZE for rank in range(SIZE + 1)]
    given = {"replicates": 20, "seed": 3}
    found = shared(values[cuts[RANK] : cuts[RANK + 1]], "mean", **given)
    assert same(found, bf.bootstrap(values, "mean", **given))


def nan():
    values = X.copy()
    values[[40_123, 50_000]] = np.nan
    on_all_ranks(ValueError, "row 40123 is nan", lambda: shared(values[OWN], "mean"))
    expected = bf.bootstrap(values, "mean", nan="omit", **OPTIONS)
    assert same(shared(values[OWN], "mean", nan="omit"), expected)


def replicates():
    split = {"split": "replicates"}
    for given in (
        {"statistic": "trimmed_mean:0.1"},
        {"statistic": "mean", "scheme": "moving", "block_length": 50},
        {"statistic": "mean", "interval": "bca"},
        {"statistic": lambda values: values.max() - values[0], "replicates": 61},
        {"statistic": np.ptp, "replicates": 2},  # fewer than ranks
    ):
        found = shared(FRAME, columns="x", **given, **split)
        expected = whole(**given)
        assert same(found, expected), given
        assert found.interval(confidence=0.8) == expected.interval(confidence=0.8)
    several = bf.bootstrap((X, X[:99]), lambda a, b: a.mean() - b.mean(), **OPTIONS)
    found = shared((X, X[:99]), lambda a, b: a.mean() - b.mean(), **split)
    assert same(found, several)


def explain():
    given = {"replicates": 400, "seed": 7}
    expected = bf.explain(X, "mean", **given)
    found = bf.explain(X[OWN], "mean", engine=COMM, **given)
    assert (found.path, found.rows) == (expected.path, ROWS)
    assert found.fingerprint == expected.fingerprint
    every = bf.explain(X, "trimmed_mean:0.1", engine=COMM, split="replicates", **given)
    assert every.fingerprint == bf.explain(X, "trimmed_mean:0.1", **given).fingerprint


def ensembles():
    rows = np.random.default_rng(3).normal(size=(200, 3))
    model = bf.EnsembleRegressor(members=5, hidden=(8,), epochs=4)
    expected = model.fit(rows, rows[:, 0]).predict(rows)
    assert np.array_equal(model.fit(rows, rows[:, 0], engine=COMM).predict(rows), expected)
    classes = rows[:, 0] > 0
    model = bf.EnsembleClassifier(members=6, hidden=(8,), epochs=4, random_state=None)
    found = model.fit(rows, classes, engine=COMM)
    every = COMM.allgather(found.predict_proba(rows))
    assert all(np.array_equal(one, every[0]) for one in every) and len(found.members_) == 6
    if SIZE > 1:
        model.set_params(members=6 + RANK)
        on_all_ranks(ValueError, "members", lambda: model.fit(rows, classes, engine=COMM))
        model.set_params(members=6)
        other = rows + (RANK == 1)
        on_all_ranks(ValueError, "", lambda: model.fit(other, classes, engine=COMM))
        bad = classes if RANK == 0 else classes[:5]
        on_all_ranks(ValueError, "rank 1: ", lambda: model.fit(rows, bad, engine=COMM))


def random_seed_is_that_of_all_ranks():
    for options in ({}, {"split": "replicates"}):
        found = shared(X, "mean", seed=None, **options)
        assert len({one.tobytes() for one in COMM.allgather(found.replicates)}) == 1
    generator = np.random.default_rng(5)
    expected = whole("mean", seed=np.random.default_rng(5))
    assert same(shared(X[OWN], "mean", seed=generator), expected)


def communicators():
    half = COMM.Split(RANK % 2)
    x = np.array_split(X, half.Get_size())[half.Get_rank()] + RANK % 2
    found = bf.bootstrap(x, "mean", engine=half, **OPTIONS)
    assert same(found, bf.bootstrap(X + RANK % 2, "mean", **OPTIONS))
    half.Free()
    on_all_ranks(TypeError, "intracommunicator", lambda: bf.bootstrap(X, "mean", engine=half))
    on_all_ranks(TypeError, "of mpi4py", lambda: bf.bootstrap(X, "mean", engine=3))


def progress_is_shown_by_rank_0():
    for data, split in ((X[OWN], "rows"), (X, "replicates")):
        seen = []
        shared(data, "mean", progress=lambda *done, seen=seen: seen.append(done), split=split)
        assert bool(seen) == (RANK == 0)
        assert not seen or seen[-1][0] == seen[-1][1]


def compare():
    given = {"value": "x", "by": "group", "control": "control", "replicates": 200}
    found = bf.compare(FRAME.iloc[OWN], engine=COMM, **given)
    assert found.equals(bf.compare(FRAME, **given))


def _fails_on_rank_1(values):
    if RANK == 1:
        raise KeyError("price")
    return values.mean()


def errors_of_all_ranks():
    on_all_ranks(ValueError, "replicates is 'auto'", lambda: shared(X, "mean", replicates="auto"))
    on_all_ranks(ValueError, "data have no rows", lambda: shared([], "mean"))
    on_all_ranks(TypeError, "if every rank has all rows", lambda: shared(X, lambda x: x[0]))
    on_all_ranks(ValueError, "split is 'row'", lambda: shared(X, "mean", split="row"))
    on_all_ranks(ValueError, "no column 'z'", lambda: shared(FRAME, "mean", columns="z"))


def errors_of_one_rank():
    if SIZE == 1:
        return
    split = {"split": "replicates"}
    on_all_ranks(TypeError, "rank 1: ", lambda: shared(["a"] if RANK == 1 else X, "mean"))
    on_all_ranks(KeyError, "on rank 1", lambda: shared(X, _fails_on_rank_1, **split))
    table = FRAME[["x"]] if RANK == 1 else FRAME[["x", "y"]]
    on_all_ranks(ValueError, "rank 1 has a table of x but rank 0", lambda: shared(table, "mean"))
    table = FRAME[["x"]] if RANK == 1 else FRAME
    on_all_ranks(ValueError, "rank 1: ", lambda: shared(table, "mean", columns=["x", "y"]))
    other = X + (RANK == 1)
    text = "rank 1 has other rows than rank 0"
    on_all_ranks(ValueError, text, lambda: shared(other, "mean", **split))
    on_all_ranks(ValueError, text, lambda: shared(other, lambda x: x.max(), **split))


def ranks_with_different_arguments():
    if SIZE == 1:
        return
    text = "rank 1 has seed 1 but rank 0 has 0; all ranks must make the same call"
    on_all_ranks(ValueError, text, lambda: shared(X[OWN], "mean", seed=min(RANK, 1)))
    generator = np.random.default_rng(RANK)
    on_all_ranks(ValueError, "the same seed", lambda: shared(X[OWN], "mean", seed=generator))
    name = "men" if RANK == 1 else "mean"
    on_all_ranks(ValueError, "statistic 'men' but rank 0", lambda: shared(X[OWN], name))
    other = (lambda x: x.mean()) if RANK == 1 else (lambda x: x.max())
    on_all_ranks(ValueError, "statistic", lambda: shared(X, other, split="replicates"))
    call = bf.explain if RANK == 1 else bf.bootstrap
    on_all_ranks(ValueError, "call 'explain'", lambda: call(X[OWN], "mean", engine=COMM))
    split = "rows" if RANK == 1 else "replicates"
    on_all_ranks(ValueError, "split 'rows'", lambda: shared(X, "mean", split=split))
    core = _mpi_ranks._core
    if RANK == 1:
        _mpi_ranks._core = types.SimpleNamespace(version="0.0.1")
    on_all_ranks(ValueError, "version of bootfold 0.0.1 but", lambda: shared(X[OWN], "mean"))
    _mpi_ranks._core = core


CASES = (
    *(arrays, options_of_a_call, tables, files_and_iterators, expressions),
    more_rows_than_a_block_of_counts,
    *(nan, replicates, explain, ensembles, random_seed_is_that_of_all_ranks, communicators),
    *(progress_is_shown_by_rank_0, compare, errors_of_all_ranks, errors_of_one_rank),
    ranks_with_different_arguments,
)

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for case in CASES:
        try:
            case()
        except BaseException:
            print(f"rank {RANK}, {case.__name__}: {traceback.format_exc()}", flush=True)
            COMM.Abort(1)
        COMM.Barrier()
        if RANK == 0:
            print("passed", case.__name__, flush=True)
