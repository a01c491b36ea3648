import xml.etree.ElementTree as ElementTree

import pytest

import hinge
from hinge import report


@pytest.fixture(scope="module")
def folder(command, tag_files, tmp_path_factory):
    out = tmp_path_factory.mktemp("compare")
    command("compare", "tag", *tag_files, "--learners", "perceptron,dcd", "--epochs", 3, "--C", 0.1, "-q", "-o", out)
    return out


def test_the_table_is_that_of_compare(folder):
    rows = report.table(folder)
    assert [row["learner"] for row in rows] == ["perceptron", "dcd"]
    lines = (folder / "table.md").read_text().splitlines()[2:]
    for row, line in zip(rows, lines):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        assert cells[0] == row["learner"]
        assert float(cells[3]) == pytest.approx(row["dev"], abs=0.005)
        assert float(cells[4]) == pytest.approx(row["objective"], rel=1e-3)


def test_csv_says_the_same(folder):
    for a, b in zip(report.table(folder / "compare.jsonl"), report.table(folder / "curves.csv")):
        assert a["learner"] == b["learner"]
        assert a["dev"] == pytest.approx(b["dev"])
        assert a["objective"] == pytest.approx(b["objective"])


def test_one_html_file_with_everything_in_it(folder, tmp_path):
    report.write_html(folder, tmp_path / "report.html", title="A <b> title")
    text = (tmp_path / "report.html").read_text()
    assert "http" not in text and "<script" not in text
    assert "A &lt;b&gt; title" in text
    drawings = text[text.index("<svg"):text.rindex("</svg>") + 6]
    curves = ElementTree.fromstring(f"<all>{drawings}</all>").findall(".//polyline")
    assert len(curves) == 2 * 2 * 3  # learners, axes, dev and objective and loss
    assert all(len(curve.get("points").split()) == 3 for curve in curves)


def test_figures_of_matplotlib(folder):
    pytest.importorskip("matplotlib")
    figures = report.figures(folder)
    assert len(figures) == 6
    assert len(figures[0].axes[0].lines) == 2


def test_histories_of_estimators(tagger):
    rows = report.table({"mine": tagger, "again": tagger.history_})
    assert [row["learner"] for row in rows] == ["mine", "again"]
    assert "<svg" in report.to_html({"one": tagger})


@pytest.mark.parametrize("name, text, said", [
    ("x.jsonl", "hello\n", "is not a log"),
    ("x.jsonl", "5\n", "epoch 1 of the log must be a dict, not int"),
    ("x.jsonl", '{"epoch": 1}\n[]\n', "epoch 2 of the log must be a dict, not list"),
    ("x.csv", "a,b\n1,2\n", "x.csv: is not a log"),
    ("x.csv", "epoch\n1\n", "there is no column 'learner'"),
    ("x.csv", "learner,epoch,dev\ndcd,1,good\n", "could not convert"),
    ("x.csv", "learner,epoch\ndcd,1,2,3\n", "x.csv: is not a log"),
])
def test_what_is_no_log(name, text, said, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(hinge.InputError, match=said):
        report.table(tmp_path / name)


def test_what_has_no_epochs():
    with pytest.raises(hinge.InputError, match="no epochs"):
        report.table([])
    with pytest.raises(hinge.InputError, match="epoch 1 of the log must be a dict, not str"):
        report.table(["dcd"])
    with pytest.raises(hinge.NotFittedError, match="not fitted yet"):
        report.table({"mine": hinge.SequenceTagger()})
    with pytest.raises(TypeError, match="a log is a path"):
        report.table(5)


@pytest.mark.parametrize("values", [[1e308, -1e308], [10**400, 1], [float("inf"), 1.0], [None, 2.0], [1e300, 1e300],
                                    [5e-324, 0.0], [1.0, 1.0 + 2e-16], ["x", 1.0]])
def test_values_that_are_hard_to_draw(values):
    text = report.to_html([{"learner": "a", "epoch": k, "loss": value, "dev_f1": value} for k, value in enumerate(values)])
    drawing = text[text.index("<body>"):text.index("</html>")]
    ElementTree.fromstring(drawing)
    assert "nan" not in drawing.split("</table>")[1]


def test_runs_scored_by_different_metrics():
    log = [{"learner": name, "epoch": k, "loss": 1.0, f"dev_{metric}": 50.0 + k}
           for name, metric in (("a", "f1"), ("b", "accuracy")) for k in (1, 2)]
    assert [(row["metric"], row["dev"]) for row in report.table(log)] == [("f1", 52.0), ("accuracy", 52.0)]
    assert [(title, list(curves)) for title, _, curves in report.panels(log)] == [
        ("f1", ["a"]), ("accuracy", ["b"]), ("loss during the epoch", ["a", "b"])]
