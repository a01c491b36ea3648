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


def test_what_is_no_log(tmp_path):
    (tmp_path / "x.jsonl").write_text("hello\n")
    with pytest.raises(hinge.InputError, match="is no log"):
        report.table(tmp_path / "x.jsonl")
    with pytest.raises(hinge.InputError, match="no epochs"):
        report.table([])
