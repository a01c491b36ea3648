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
    curves = body_of(text).findall(".//polyline")
    assert len(curves) == 2 * 2 * 3  # learners, axes, dev and objective and loss
    assert all(len(curve.get("points").split()) == 3 for curve in curves)


def body_of(text):
    return ElementTree.fromstring(text[text.index("<body>"):text.index("</html>")])


def log_of(learners, epochs=3):
    return [{"learner": name, "epoch": e, "training_seconds": 0.5 * e + k, "loss": 10.0 / e, "primal": 100.0 / e + k, "dev_f1": 50.0 + e - k}
            for k, name in enumerate(learners) for e in range(1, epochs + 1)]


def test_every_learner_has_a_look_of_its_own_in_the_legend_and_in_every_chart():
    learners = sorted(report.learners())
    assert len(learners) >= 16
    body = body_of(report.to_html(log_of(learners)))
    legend = {}
    for entry in body.findall(".//div[@class='legend']/span"):
        line, marker = entry.findall(".//path")
        legend["".join(entry.itertext())] = (line.get("stroke"), line.get("stroke-dasharray"), marker.get("d").split("m", 1)[1])
    assert sorted(legend) == learners
    assert len(set(legend.values())) == len(learners)
    for group in body.findall(".//g"):
        line, markers = group.find("polyline"), group.find("path")
        look = (line.get("stroke"), line.get("stroke-dasharray"), markers.get("d").split("M")[1].split("m", 1)[1])
        assert look == legend[group.find("title").text]


def test_objectives_of_different_losses_have_a_chart_each():
    titles = dict.fromkeys(title for title, _, _ in report.panels(log_of(["mine", "crf", "dcd", "ops"])))
    losses = {report.learners()[name]["loss"] for name in ("crf", "dcd", "ops")}
    assert [title for title in titles if title.startswith("objective")][0] == "objective"
    assert {title for title in titles if title.startswith("objective, ")} == {f"objective, {loss} loss" for loss in losses}


def test_the_best_is_marked_in_the_table_and_in_every_chart():
    body = body_of(report.to_html(log_of(["dcd", "mira", "<crf>"])))
    assert [row.find("td").text for row in body.findall(".//tr[@class='best']")] == ["dcd"]
    rings = [ring.find("title").text for ring in body.findall(".//circle[@class='best']")]
    assert rings.count("best: 53") == 2  # highest dev score, at both axes
    assert rings.count("best: 3.33333") == 2  # lowest loss


def test_version_seed_and_options_are_stated(folder, tagger):
    said = "".join(body_of(report.to_html(folder)).find(".//div[@class='about']").itertext())
    assert f"version {hinge.__version__}" in said and "seed 1" in said
    assert "dcd: " in said and "C=0.1" in said
    said = "".join(body_of(report.to_html({"mine": tagger})).find(".//div[@class='about']").itertext())
    assert "seed" in said and "mine: " in said and "epochs=" in said


def test_a_browser_draws_the_report(folder, browser, tmp_path):
    report.write_html(folder, tmp_path / "report.html")
    picture = browser.draw(tmp_path / "report.html", "report")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20000  # a blank page is smaller


def test_figures_of_matplotlib(folder):
    pytest.importorskip("matplotlib")
    figures = report.figures(folder)
    assert len(figures) == 8  # dev, objectives of two losses, loss; by seconds and by epochs
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
