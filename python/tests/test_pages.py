"""Pages of predictions and explanations, as a browser draws them."""

import re

import pytest

TASKS = ("tag", "dep", "const")


@pytest.fixture(scope="module")
def models(command, tmp_path_factory):
    """For each task a folder with a model and data it has not seen."""
    folders = {}
    for task in TASKS:
        folder = folders[task] = tmp_path_factory.mktemp(task)
        for name, seed, sentences in (("train", 1, 80), ("new", 2, 12)):
            command("sample", task, "--sentences", sentences, "--seed", seed, "-o", folder / name)
        options = ["-p", "order=2"] if task == "dep" else []
        command("train", task, folder / "train", "--epochs", 2, "-q", *options, "-o", folder / "model")
    return folders


def page_of(command, folder, name, how, *flags):
    page = folder / f"{name}.html"
    page.write_text(command(how, folder / "model", folder / "new", "--html", *flags))
    return page


def check(browser, page, name, texts):
    """Draws the page; its drawings have that many texts, which can all be read."""
    assert browser.draw(page, name).stat().st_size > 20000  # a blank page is smaller
    seen = browser.look(page)
    assert seen["texts"] >= texts
    assert seen["covered"] == []
    assert seen["outside"] == []


def words_in(command, folder):
    return len(re.findall(r"^\d+\t", (folder / "new").read_text(), re.M))


def test_trees_of_dependencies_can_be_read(command, models, browser):
    page = page_of(command, models["dep"], "dep", "predict")
    check(browser, page, "dep-trees", texts=3 * words_in(command, models["dep"]))  # words, tags and labels


def test_trees_of_dependencies_with_scores_can_be_read(command, models, browser):
    page = page_of(command, models["dep"], "dep-scores", "predict", "--scores")
    check(browser, page, "dep-scores", texts=3 * words_in(command, models["dep"]))


@pytest.mark.parametrize("name, flags", [("plain", []), ("scores", ["--scores"]), ("nbest", ["--nbest", 3, "--marginals"])])
def test_trees_of_phrases_can_be_read(command, models, browser, name, flags):
    folder = models["const"]
    page = page_of(command, folder, f"const-{name}", "predict", *flags)
    words = len(re.findall(r" [^() ]+\)", (folder / "new").read_text()))
    check(browser, page, f"const-{name}", texts=2 * words)


@pytest.mark.parametrize("task", TASKS)
def test_explanations_can_be_read(command, models, browser, task):
    page = page_of(command, models[task], f"explain-{task}", "explain", "--top", 5)
    assert page.read_text().count('class="decision"') >= 12
    check(browser, page, f"explain-{task}", texts=0)
