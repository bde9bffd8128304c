"""What notebooks and matplotlib show, and the examples."""

from __future__ import annotations

import base64
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

def figures(shown):
    """The SVGs of a page, which are images."""
    found = [base64.b64decode(part.split('"')[0]).decode() for part in shown.split('<img src="data:image/svg+xml;base64,')[1:]]
    assert all(ElementTree.fromstring(svg).tag.endswith("svg") for svg in found) and "<svg" not in shown
    return found


EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))


def has(package):
    return importlib.util.find_spec(package) is not None


def test_an_outcome_shows_its_table_and_its_map():
    shown = carom.impact("kane")._repr_html_()
    assert html.escape(repr(carom.impact("kane"))) in shown
    assert figures(shown) == [carom.map("kane", resolution=100).to_svg()]
    # A contact without friction has no map.
    alone = carom.impact(delassus=[[1.0]], contact_velocity=[-1.0], restitution=0.5)._repr_html_()
    assert not figures(alone) and "<pre" in alone
    matrices = carom.impact(delassus=[[2.0, 0.3], [0.3, 1.0]], contact_velocity=[-1.0, 0.5], restitution=0.5, friction=0.3)
    assert len(figures(matrices._repr_html_())) == 1
    assert "<pre" in carom.impact("landing")._repr_html_()
    assert figures(carom.compare("kane")._repr_html_()) == [carom.compare("kane").to_svg()]
    map = carom.map("foot", resolution=50)
    assert figures(map._repr_html_()) == [map.to_svg()] and "<pre" not in map._repr_html_()


def test_figures_of_one_notebook_do_not_meet():
    """Clip paths of inline figures had equal names: the regions of the second one had the outlines of the first."""
    page = "".join(shown._repr_html_() for shown in (carom.impact("foot"), carom.map("kane", resolution=50), carom.compare("kane")))
    assert len(figures(page)) == 3 and " id=" not in page


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
    assert axes[0].get_xlabel() == "coefficient of restitution $e$"
    assert carom.map("kane", "state", resolution=40).plot() is not axes[0]
    plt.close("all")


def test_figures_have_the_colours_of_the_command():
    from carom import _plot

    drawn = "".join(carom.map(scene, resolution=60).to_svg() for scene in ("kane", "foot", "reversal")).lower()
    for kind, (fill, pattern, _, _) in _plot._REGIONS.items():
        assert kind == "several" or (fill in drawn and pattern in drawn), kind
    for name, (_, colour, width, _) in _plot._CURVES.items():
        assert f'stroke="{colour}"' in drawn, name
        assert f'stroke-width="{width:g}"' in drawn, name
    run = carom.simulate("quadruped", until=0.3).to_svg().lower()
    for name in ("work of impacts", "work of torques"):
        assert _plot._WORK[name][1] in run, name


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
