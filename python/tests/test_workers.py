"""Estimators in the processes of joblib and Dask."""

import os
import pickle
import subprocess
import sys

import joblib
import pytest
from sklearn.model_selection import GridSearchCV

import hinge
from conftest import ROOT
from hinge import _sharing


def models_after(pickled):
    """The process, the model it has after unpickling twice, and how many models it holds."""
    first, second = pickle.loads(pickled), pickle.loads(pickled)
    return os.getpid(), first.model_ is second.model_, len(_sharing._opened)


def tagged(tagger, X):
    return os.getpid(), id(tagger.model_), tagger.predict(X)


def test_a_process_holds_a_model_once_however_often_it_is_unpickled(tagger, chunks):
    copies = [pickle.loads(pickle.dumps(tagger)) for _ in range(3)]
    assert len({id(copy.model_) for copy in copies}) == 1
    assert copies[0].predict(chunks[2]) == tagger.predict(chunks[2])
    other = hinge.SequenceTagger("perceptron", epochs=1).fit(chunks[0], chunks[1])
    assert pickle.loads(pickle.dumps(other)).model_ is not copies[0].model_
    assert pickle.loads(pickle.dumps(other)).to_bytes() == other.to_bytes()


def test_only_a_few_unpickled_models_are_kept(chunks):
    for seed in range(_sharing.KEPT + 3):
        pickle.loads(pickle.dumps(hinge.SequenceTagger("perceptron", epochs=1, seed=seed).fit(chunks[0][:20], chunks[1][:20])))
    assert len(_sharing._opened) == _sharing.KEPT


def test_pickles_change_with_the_model(chunks):
    tagger = hinge.SequenceTagger("perceptron", epochs=1, warm_start=True).fit(chunks[0], chunks[1])
    before = pickle.dumps(tagger)
    tagger.fit(chunks[2], chunks[3])
    assert pickle.loads(pickle.dumps(tagger)).to_bytes() == tagger.to_bytes() != pickle.loads(before).to_bytes()


def test_tasks_of_loky_share_the_model_of_their_process(tagger, chunks):
    parts = [chunks[2][k::6] for k in range(6)]
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(tagged)(tagger, part) for part in parts)
    assert [answer for _, _, answer in found] == [tagger.predict(part) for part in parts]
    assert os.getpid() not in {process for process, _, _ in found}
    assert len({(process, model) for process, model, _ in found}) == len({process for process, _, _ in found})


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        with distributed.Client(local) as client:
            yield client


def test_tasks_of_dask_share_the_model_of_their_process(cluster, tagger, chunks):
    parts = [chunks[2][k::6] for k in range(6)]
    sent = cluster.scatter(tagger, broadcast=True, hash=False)
    found = cluster.gather([cluster.submit(tagged, sent, part, pure=False) for part in parts])
    assert [answer for _, _, answer in found] == [tagger.predict(part) for part in parts]
    assert len({(process, model) for process, model, _ in found}) == len({process for process, _, _ in found})
    held = cluster.run(models_after, pickle.dumps(tagger))
    assert all(same and kept == 1 for _, same, kept in held.values()) and len(held) == 2


def test_a_grid_search_over_a_cluster_is_that_of_one_process(cluster, chunks):
    X, y = chunks[0][:60], chunks[1][:60]
    grid = {"learner": ["perceptron", "dcd"], "epochs": [1, 3]}
    alone = GridSearchCV(hinge.SequenceTagger(threads=1), grid, cv=2).fit(X, y)
    with joblib.parallel_config(backend="dask"):
        spread = GridSearchCV(hinge.SequenceTagger(threads=1), grid, cv=2).fit(X, y)
    assert spread.best_params_ == alone.best_params_
    assert list(spread.cv_results_["mean_test_score"]) == list(alone.cv_results_["mean_test_score"])


def test_the_example_annotates_a_bag_of_files(tmp_path, trees):
    pytest.importorskip("distributed")
    words, arcs = hinge.read_conllu(trees[0])
    X = [[word[0] for word in sentence] for sentence in words]
    tags = [[word[2] for word in sentence] for sentence in words]
    hinge.SequenceTagger("perceptron", epochs=2).fit(X, tags).save(tmp_path / "upos.model")
    hinge.DependencyParser("perceptron", epochs=1).fit(
        [list(zip(x, own)) for x, own in zip(X, tags)], arcs).save(tmp_path / "dep.model")
    for name, part in (("a", X[:20]), ("b", X[20:30])):
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(x) + "\n" for x in part))
    command = [sys.executable, ROOT / "examples/dask_annotate.py", tmp_path / "upos.model", tmp_path / "dep.model",
               tmp_path / "*.txt", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 files, 0 of them annotated before, 30 sentences\n"
    found, heads = hinge.read_conllu(tmp_path / "out/a.conllu")
    assert [[word[0] for word in sentence] for sentence in found] == X[:20]
    assert all(head <= len(tree) for tree in heads for head, _ in tree)
