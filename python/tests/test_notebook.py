"""What notebooks and matplotlib show, and the examples."""

from __future__ import annotations

import html
import importlib.util
import os
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import carom
from conftest import ROOT

EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))


def has(package):
    return importlib.util.find_spec(package) is not None


def test_an_outcome_shows_its_table_and_its_map():
    shown = carom.impact("kane")._repr_html_()
    assert html.escape(repr(carom.impact("kane"))) in shown
    figure = shown[shown.index("<svg") : shown.index("</svg>") + 6]
    assert ElementTree.fromstring(figure).tag.endswith("svg")
    # A contact without friction has no map.
    alone = carom.impact(delassus=[[1.0]], contact_velocity=[-1.0], restitution=0.5)._repr_html_()
    assert "<svg" not in alone and "<pre" in alone
    matrices = carom.impact(delassus=[[2.0, 0.3], [0.3, 1.0]], contact_velocity=[-1.0, 0.5], restitution=0.5, friction=0.3)
    assert "<svg" in matrices._repr_html_()
    assert "<pre" in carom.impact("landing")._repr_html_()
    assert "<svg" in carom.compare("kane")._repr_html_()


def test_a_run_plays_inline():
    shown = carom.simulate("ball", until=0.2)._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<pre" in shown
    page = html.unescape(shown[len('<iframe srcdoc="') : shown.index('" style=')])
    assert page == carom.simulate("ball", until=0.2).to_html()


def test_errors_can_be_pickled():
    with pytest.raises(carom.CaromError) as error:
        carom.impact("kane", friction=-1)
    copy = pickle.loads(pickle.dumps(error.value))
    assert (str(copy), copy.kind, copy.field) == (str(error.value), "out_of_range", "friction")


def test_names_have_docstrings():
    for name in carom.__all__:
        thing = getattr(carom, name)
        assert name in ("__version__", "MODES") or thing.__doc__, name
        if isinstance(thing, type):
            for part in dir(thing):
                if not part.startswith("_") and part not in ("args", "add_note", "with_traceback"):
                    assert getattr(thing, part).__doc__ or not callable(getattr(thing, part)), f"{name}.{part}"


@pytest.mark.skipif(not has("matplotlib"), reason="matplotlib is not installed")
def test_figures_are_axes_of_the_caller(tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2)
    assert carom.map("kane", resolution=40).plot(axes[0]) is axes[0]
    assert carom.simulate("ball", until=0.5).plot(axes[1]) is axes[1]
    assert axes[0].get_xlabel() == "restitution e"
    assert carom.map("kane", "state", resolution=40).plot() is not axes[0]
    plt.close("all")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example, tmp_path):
    missing = [name for name in ("matplotlib", "mujoco") if f"import {name}" in example.read_text() and not has(name)]
    if missing and os.environ.get("CAROM_ENGINES") != "1":
        pytest.skip(f"{missing[0]} is not installed")
    environment = os.environ | {"MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, example], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_there_are_examples():
    assert len(EXAMPLES) == 4
