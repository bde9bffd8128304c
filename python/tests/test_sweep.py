"""Sweeps: the rows of the command, files that appear when they are complete, and a cluster of real processes."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import carom
from conftest import control_c_after

ARM = {"vary": {"friction": "0:1:20"}, "random": {"state.velocity.elbow": "normal(0, 1)"}, "samples": 50, "seed": 7}
COLUMNS = "mode,impulse,energy.change,admissible"


def hash_of(folder):
    """The hash of all parts of a folder, and nothing hidden is left."""
    parts = sorted(folder.glob("part-*"))
    assert not list(folder.glob(".carom-*")), list(folder.iterdir())
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.name.encode() + part.read_bytes())
    return len(parts), digest.hexdigest()


def same(one, other):
    return one.dtype == other.dtype and all(a == b or (a != a and b != b) for a, b in zip(one.tolist(), other.tolist(), strict=True))


def test_the_rows_are_those_of_the_command(command, tmp_path):
    arguments = ["sweep", "arm", "--vary", "friction=0:1:20", "--random", "state.velocity.elbow=normal(0, 1)", "--samples", "50"]
    arguments += ["--seed", "7", "--columns", COLUMNS, "--part-rows", "128"]
    subprocess.run([command, *arguments, "-o", tmp_path / "command"], capture_output=True, check=True)
    own = carom.sweep("arm", **ARM, columns=COLUMNS, output=tmp_path / "own", part_rows=128)
    assert hash_of(tmp_path / "own") == hash_of(tmp_path / "command")
    assert own.written == own.rows == len(own) == 1000
    manifests = [json.loads((tmp_path / name / "_manifest.json").read_text()) for name in ("own", "command")]
    assert manifests[0] == manifests[1] and manifests[0]["plan_sha256"] == own.digest
    # In memory, as CSV and as one file there are the same numbers.
    memory = carom.sweep("arm", **ARM, columns=COLUMNS.split(","), threads=3)
    parquet = carom.sweep("arm", **ARM, columns=COLUMNS, output=tmp_path / "one.parquet")
    csv = carom.sweep("arm", **ARM, columns=COLUMNS, output=tmp_path / "one.csv")
    for name in memory.names:
        for other in (own, parquet, csv):
            assert same(memory[name], other[name]), name
    assert memory["sample"].tolist() == list(range(1000)) and memory["sample"].dtype == np.int64
    assert set(memory["mode"]) <= set(carom.MODES) and memory["admissible"].dtype == bool
    assert repr(memory).startswith("arm: 1000 samples in memory")


def test_values_are_text_lists_arrays_and_distributions():
    text = carom.sweep("kane", {"friction": "0:1:5"}, {"restitution": "uniform(0, 0.5)"}, columns="mode")
    data = carom.sweep("kane", {"friction": np.linspace(0, 1, 5)}, {"restitution": ("uniform", 0, 0.5)}, columns=["mode"])
    assert all(same(text[name], data[name]) for name in text.names)
    laws = carom.sweep("kane", {"law": ["aghili", "poisson"]}, restitution=0.3, columns="mode")
    assert laws["law"].tolist() == ["aghili", "poisson"]
    chosen = carom.sweep("kane", None, {"guard": ("choice", "report", "slip")}, samples=20)
    assert set(chosen["guard"]) == {"report", "slip"}
    robot = carom.load("arm")
    scene = robot.problem(contact="tool_tip", surface={"normal": [0, 0, 1]}, state={"velocity": [0, 1, 0, 0, 0, 0]}, restitution=0.5)
    assert carom.sweep(scene, {"friction": [0.1, 0.2]}).rows == 2


def test_a_row_without_an_answer_has_its_error():
    table = carom.sweep("kane", {"friction": [0.5, -1, 0.2]}, columns="energy.change")
    assert list(table.errors) == [1] and "friction" in table.errors[1]
    assert np.isnan(table["energy.change"][1]) and np.isfinite(table["energy.change"][[0, 2]]).all()


def test_simulations(tmp_path):
    table = carom.sweep("ball", {"restitution": "0:0.8:5"}, simulate=True, columns="count(impact, ball),ending", set={"simulation.until": 2.0})
    bounces = table["count(impact, ball)"]
    assert bounces[0] == 1 and bounces[-1] > 2 and set(table["ending"]) == {"complete"}


def test_a_folder_is_continued_and_another_plan_is_refused(tmp_path):
    folder = tmp_path / "sweep"
    whole = carom.sweep("arm", **ARM, output=folder, part_rows=100)
    expected = hash_of(folder)
    for part in sorted(folder.glob("part-*"))[3:7]:
        part.unlink()
    again = carom.sweep("arm", **ARM, output=folder, part_rows=100)
    assert (again.written, hash_of(folder)) == (400, expected)
    assert carom.sweep("arm", **ARM, output=folder, part_rows=100).written == 0
    with pytest.raises(carom.CaromError, match="has another sweep: its plan") as error:
        carom.sweep("arm", **ARM | {"seed": 8}, output=folder, part_rows=100)
    assert error.value.kind == "file"
    assert hash_of(folder) == expected and whole.path == folder


def test_progress_is_told_and_may_stop_a_sweep(tmp_path):
    told = []
    carom.sweep("arm", **ARM, output=tmp_path / "told", progress=lambda *counts: told.append(counts))
    assert told[-1] == (1000, 1000)

    class Enough(Exception):
        pass

    def stop(done, wanted):
        raise Enough

    for output in (tmp_path / "stopped", tmp_path / "stopped.parquet", None):
        with pytest.raises(Enough):
            carom.sweep("arm", **ARM | {"samples": 20_000}, output=output, progress=stop)
    assert not (tmp_path / "stopped.parquet").exists() and not list(tmp_path.glob(".carom-*"))
    assert hash_of(tmp_path / "stopped")[0] < 7


def test_control_c_ends_a_sweep_and_finished_parts_remain(tmp_path):
    begin = control_c_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        begin()
        carom.sweep("arm", **ARM | {"samples": 10_000_000}, output=tmp_path / "sweep", part_rows=1000)
    # Of 200,000 parts; how long a busy machine takes to hear the signal is not asked.
    assert hash_of(tmp_path / "sweep")[0] < 20_000


@pytest.mark.parametrize(
    ("arguments", "kind", "field"),
    [
        ({"scene": "nothing"}, "file", "problem"),
        ({"scene": 7}, "wrong_type", "problem"),
        ({"scene": carom.load("arm")}, "wrong_type", "scene"),
        ({"vary": {"frictoin": "0:1:5"}}, "unknown_key", "frictoin"),
        ({"vary": {"friction": "0:1"}}, "out_of_range", "vary.friction"),
        ({"vary": {"friction": 0.5}}, "wrong_type", "vary.friction"),
        ({"vary": {"friction": []}}, "out_of_range", "vary.friction"),
        ({"vary": {"friction": [np.nan]}}, "not_finite", "vary.friction[0]"),
        ({"vary": {7: [0.5]}}, "wrong_type", "vary"),
        ({"vary": "friction=0:1:5"}, "wrong_type", "vary"),
        ({"vary": {"friction": "0:1:3"}, "friction": 0.5}, "conflict", "friction"),
        ({"random": {"friction": "normal(0, -1)"}}, "out_of_range", "random.friction"),
        ({"random": {"friction": ("normal", 0)}}, "out_of_range", "random.friction"),
        ({"samples": 0}, "out_of_range", "samples"),
        ({"samples": 2.5}, "wrong_type", "samples"),
        ({"samples": -1}, "out_of_range", "samples"),
        ({"seed": "a"}, "wrong_type", "seed"),
        ({"samples": 10**12}, "out_of_range", "output"),
        ({"columns": "energy.chnage"}, "unknown_name", "columns"),
        ({"columns": [3]}, "wrong_type", "columns"),
        ({"columns": "impulse[9]"}, "out_of_range", "columns"),
        ({"threads": 0}, "out_of_range", "threads"),
        ({"threads": 10**6}, "out_of_range", "threads"),
        ({"part_rows": 0, "output": "folder"}, "out_of_range", "part_rows"),
        ({"output": "table.xlsx"}, "unknown_name", "output"),
        ({"output": "table.csv", "format": "parquet"}, "conflict", "format"),
        ({"output": "folder", "format": "xlsx"}, "unknown_name", "format"),
        ({"output": "missing/table.csv"}, "file", None),
        ({"output": "missing/folder"}, "file", None),
        ({"client": object()}, "missing", "output"),
        ({"client": object(), "output": "table.csv"}, "unsupported", "output"),
        ({"client": object(), "output": "folder"}, "wrong_type", "client"),
    ],
)
def test_wrong_arguments_are_named(arguments, kind, field, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(carom.CaromError) as error:
        carom.sweep(**{"scene": "kane"} | arguments)
    assert (error.value.kind, error.value.field) == (kind, field), error.value
    assert not list(tmp_path.glob("*.*")) and not list(tmp_path.glob("*/part-*"))


def test_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "scene.toml").write_bytes(b"\xff\xfe")
    for scene in (tmp_path, tmp_path / "scene.toml"):
        with pytest.raises(carom.CaromError) as error:
            carom.sweep(scene)
        assert error.value.kind == "file"


FULL = """
import resource, sys, carom
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    carom.sweep("arm", {"friction": "0:1:2000"}, output=sys.argv[1])
except carom.CaromError as error:
    print(error.kind, error)
"""


@pytest.mark.parametrize("name", ["folder", "table.parquet", "table.csv"])
def test_a_full_disk_leaves_nothing_under_a_final_name(name, tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path / name], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("file ") and "too large" in done.stdout, done
    found = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert found == (["_manifest.json"] if name == "folder" else []), found


def test_ten_thousand_rows_at_a_time_leak_nothing():
    import resource

    def megabytes():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    for _ in range(3):
        carom.sweep("kane", {"friction": "0:1:10000"})
    before = megabytes()
    for _ in range(20):
        carom.sweep("kane", {"friction": "0:1:10000"})
    assert megabytes() - before < 15


def test_a_figure_of_a_sweep():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    table = carom.sweep("kane", {"restitution": "0:1:8", "friction": "0:1:9"})
    ax = table.plot("restitution", "friction", "energy.change")
    assert ax.get_xlabel() == "restitution" and ax.collections[0].get_array().size == 72
    _, own = plt.subplots()
    assert table.plot("restitution", "friction", "mode", ax=own) is own
    # A grid of words has cells, too: those of kane's modes.
    cells = own.collections[0].get_array().reshape(9, 8)
    words = sorted(set(table["mode"]))
    assert [words[int(code)] for code in cells[:, 3]] == table["mode"].reshape(8, 9)[3].tolist()
    assert [text.get_text() for text in own.get_legend().get_texts()] == words
    # Samples of a distribution are points.
    drawn = carom.sweep("kane", None, {"restitution": "uniform(0, 1)", "friction": "uniform(0, 1)"}, samples=50)
    for color in ("mode", "energy.change", "admissible", None):
        assert drawn.plot("restitution", "friction", color) is not own
    assert table.plot("restitution", "energy.change") is not own
    plt.close("all")
    assert "<pre" in table._repr_html_()


# A cluster: a scheduler and workers, each a process of its own.

has_dask = importlib.util.find_spec("distributed") is not None
needs_dask = pytest.mark.skipif(not has_dask and os.environ.get("CI") != "true", reason="distributed is not installed")


@pytest.fixture
def cluster(tmp_path):
    """A client, its two workers, and a function that kills one."""
    from distributed import Client

    contact = tmp_path / "scheduler.json"
    processes = []
    environment = os.environ | {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20s", "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s"}

    def start(kind, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", contact, *arguments, "--no-dashboard"]
        log = (tmp_path / f"{kind}.log").open("ab")
        processes.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log))
        return processes[-1]

    start("scheduler", "--host", "127.0.0.1", "--port", "0")
    workers = [start("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
    client = None
    try:
        client = Client(scheduler_file=str(contact), timeout="60s")
        client.wait_for_workers(2, timeout=60)
        yield client, workers
    finally:
        # Workers before the scheduler, which would otherwise wait for them.
        for process in reversed(processes):
            process.kill()
            process.wait()
        if client is not None:
            with contextlib.suppress(Exception):
                client.close(timeout=1)


@needs_dask
def test_a_cluster_loses_no_sample_when_a_worker_is_killed(cluster, tmp_path):
    client, workers = cluster
    plan = ARM | {"samples": 1000, "columns": COLUMNS}
    carom.sweep("arm", **plan, output=tmp_path / "alone", part_rows=400)
    expected = hash_of(tmp_path / "alone")
    assert expected[0] == 50
    told = []

    def kill(done, wanted):
        told.append((done, wanted))
        if workers[0].poll() is None and done >= 4000:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].wait()

    table = carom.sweep("arm", **plan, output=tmp_path / "together", part_rows=400, client=client, progress=kill)
    assert workers[0].poll() == -signal.SIGKILL and workers[1].poll() is None
    assert told[0][0] < 20_000 and told[-1][1] == 20_000
    # A killed process may leave a hidden file, which nobody reads.
    for hidden in (tmp_path / "together").glob(".carom-*"):
        hidden.unlink()
    assert hash_of(tmp_path / "together") == expected
    assert table["sample"].tolist() == list(range(20_000))
    # A second call has nothing to do, and another plan is refused before anything is sent.
    assert carom.sweep("arm", **plan, output=tmp_path / "together", part_rows=400, client=client).written == 0
    with pytest.raises(carom.CaromError, match="another sweep"):
        carom.sweep("arm", **plan | {"seed": 1}, output=tmp_path / "together", part_rows=400, client=client)


@needs_dask
def test_a_cluster_that_fails_is_told(cluster, tmp_path):
    client, workers = cluster
    with pytest.raises(carom.CaromError) as error:
        carom.sweep("kane", output=tmp_path / "threads", client=client, threads=2)
    assert (error.value.kind, error.value.field) == ("conflict", "threads")
    robot = carom.load('<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>', floating_base=True)
    scene = robot.problem(contact="a", surface={"normal": [0, 0, 1]}, base={"floating": True, "velocity": [0, 0, -1]}, restitution=0.5, friction=0.2)
    with pytest.raises(carom.CaromError, match="given as text") as error:
        carom.sweep(scene, output=tmp_path / "text", client=client)
    # Workers that die for good.
    def kill(done, wanted):
        for worker in workers:
            if worker.poll() is None:
                os.kill(worker.pid, signal.SIGKILL)
                worker.wait()

    begun = time.monotonic()
    with pytest.raises(carom.CaromError) as error:
        carom.sweep("arm", **ARM | {"samples": 5000}, output=tmp_path / "dead", part_rows=400, client=client, progress=kill, worker_timeout=2)
    assert error.value.kind == "cluster" and "worker" in str(error.value), error.value
    assert time.monotonic() - begun < 60
    client.close()
    with pytest.raises(carom.CaromError, match="the client is closed") as error:
        carom.sweep("kane", output=tmp_path / "closed", client=client)
    assert error.value.kind == "cluster"
    assert not (tmp_path / "closed").exists()


def test_a_robot_from_text_has_its_text_in_the_digest():
    text = '<robot name="r"><link name="a"><inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    keys = {"contact": "a", "surface": {"normal": [0, 0, 1]}, "base": {"velocity": [0, 0, -1]}, "restitution": 0.5, "friction": 0.2}
    light, heavy = (carom.sweep(carom.load(text.format(mass), floating_base=True).problem(**keys), {"friction": [0.1]}) for mass in (1, 2))
    assert light.digest != heavy.digest
    assert 2 * light["impulse[0]"][0] == pytest.approx(heavy["impulse[0]"][0], rel=1e-12)
