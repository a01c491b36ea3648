#!/usr/bin/env python3
"""Kills: training ended at a random moment, for every task and learner.

kill -9, then --resume: the model has the bytes of an uninterrupted run, an older model stays until then, and no
partial files are left. SIGTERM, SIGHUP, SIGINT: the program ends by itself with status 0 and a model that works."""
import os
import shutil
import signal
import subprocess
import threading
import time

from common import REPOSITORY, Campaign, Skip, contents, ends, learners, partial_files, write

FILES = {"tag": ["t.tag", "d.tag"], "dep": ["t.dep", "d.dep"], "rerank": ["t.rerank", "t.ref", "d.rerank", "d.ref"],
         "classify": ["t.classify", "d.classify"], "const": ["t.const", "d.const"],
         "coref": ["t.coref", "d.coref"], "summarize": ["t.summarize", "d.summarize"]}
SENTENCES = {"tag": 150, "dep": 60, "rerank": 60, "classify": 300, "const": 60, "coref": 120, "summarize": 400}
# Options that change what a checkpoint must hold; those that a learner or task lacks are refused and skipped.
VARIANTS = ["", "", "--objective epoch", "--early-stop 3", "--checkpoint-every 2", "--stop-gap 0.001", "-p average=true",
            "-p average=false", "--shards 3", "-p batch=4", "-p regularizer=l1", "-p k=3", "-p lazy=false",
            "-p rule=adadelta", "-p loss=l2", "-p order=2", "-p decoder=chu-liu-edmonds", "-p labelled=false",
            "-p hash_bits=10", "-p min_count=2", "-p pairs=5", "-p ngrams=2", "-p oracle=local", "-p metric=chrf"]
SOON = 10  # seconds


def prepare(campaign):
    for seed, name in ((1, "t"), (2, "d")):
        for task, sentences in SENTENCES.items():
            refs = f"--refs {name}.ref" if task == "rerank" else ""
            campaign.must(f"hinge sample {task} --sentences {sentences} --seed {seed} -o {name}.{task} {refs}")
    campaign.must("hinge train tag d.tag --epochs 1 -q -o old.model")


class Kills:
    def __init__(self, campaign):
        self.campaign = campaign
        self.references = {}
        self.lock = threading.Lock()

    def copy(self, task, folder):
        for name in FILES[task]:
            shutil.copy(os.path.join(self.campaign.data, name), folder)

    def suited(self, rng, task, learner):
        """A command that the program does not refuse, with its reference."""
        for _ in range(6):
            command = self.command(rng, task, learner, rng.choice(VARIANTS))
            try:
                return command, self.reference(command, task)
            except Skip:
                pass
        command = self.command(rng, task, learner, "")
        return command, self.reference(command, task)

    def command(self, rng, task, learner, variant):
        more = "--refs t.ref --dev-refs d.ref" if task == "rerank" else ""
        small = "-p hash_bits=12 -p label_bits=10" if task == "dep" else ""
        words = (f"hinge train {task} t.{task} --dev d.{task} {more} --learner {learner} --epochs {rng.choice((4, 6, 9))} "
                 f"{small} {variant} --seed {rng.randrange(5)} --checkpoint c.ckpt -o m.model")
        return " ".join(words.split())

    def reference(self, command, task):
        """The model and the seconds of an uninterrupted run. Refused commands are no cases."""
        with self.lock:
            known = self.references.get(command)
        if known is None:
            folder = self.campaign.path(f"reference{abs(hash(command))}")
            os.makedirs(folder, exist_ok=True)
            self.copy(task, folder)
            begin = time.monotonic()
            result = self.campaign.shell("exec " + command, folder, 120)
            known = (result, contents(os.path.join(folder, "m.model")), time.monotonic() - begin)
            shutil.rmtree(folder)
            with self.lock:
                self.references[command] = known
        result, model, seconds = known
        if result.status == 1 and result.complaints():
            raise Skip
        return result, model, seconds

    def start(self, command, folder):
        return subprocess.Popen(["bash", "-c", "ulimit -c 0; exec " + command], cwd=folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.campaign.environment(), start_new_session=True)

    def signalled(self, command, folder, number, wait, when_training):
        """Runs the command and sends the signal; its status, or None if it did not end soon."""
        process = self.start(command, folder)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        while when_training and process.poll() is None and not catches(process.pid, signal.SIGINT):
            time.sleep(0.002)
        time.sleep(wait)
        process.send_signal(number)
        if ends(process, SOON):
            return process.returncode
        process.kill()
        process.wait()
        return None

    def hard(self, task, learner):
        def case(rng, folder):
            command, (result, model, seconds) = self.suited(rng, task, learner)
            if result.status != 0:
                return [f"{command}: {result.breach() or result.tail()}"]
            self.copy(task, folder)
            old = contents(os.path.join(self.campaign.data, "old.model"))
            write(os.path.join(folder, "m.model"), old)
            findings, story, now = [], command + " [kill -9 after", command
            for _ in range(rng.choice((1, 1, 2, 3))):
                moment = rng.random() * seconds
                self.signalled(now, folder, signal.SIGKILL, moment, False)
                story += f" {moment:.3f} s,"
                if contents(os.path.join(folder, "m.model")) not in (old, model):
                    findings.append(f"{story}]: the older model is damaged")
                resume = os.path.exists(os.path.join(folder, "c.ckpt"))
                now = f"hinge train --resume c.ckpt --threads {rng.choice((1, 2, 3))}" if resume else command
                story += " then resumed" if resume else " then the same again"
            story += "]"
            result = self.campaign.shell("exec " + now, folder, 120)
            if result.status != 0:
                findings.append(f"{story}: {result.breach() or result.tail()}")
            elif contents(os.path.join(folder, "m.model")) != model:
                findings.append(f"{story}: the model differs from that of an uninterrupted run")
            if partial_files(folder):
                findings.append(f"{story}: leaves {partial_files(folder)}")
            return findings
        return case

    def soft(self, task, learner, number):
        def case(rng, folder):
            command, (result, model, seconds) = self.suited(rng, task, learner)
            if result.status != 0:
                return []  # reported by hard()
            self.copy(task, folder)
            moment = rng.random() * seconds
            status = self.signalled(command, folder, number, moment, True)
            story = f"{command} & sleep {moment:.3f}; kill -{number.name[3:]} $!; wait"
            if status is None:
                return [f"{story}: does not end within {SOON} s"]
            findings = []
            if status != 0:
                end = f"dies of {signal.Signals(-status).name}" if status < 0 else f"exit {status}"
                saved = "there is a model" if os.path.exists(os.path.join(folder, "m.model")) else "the model is lost"
                findings.append(f"{story}: {end}, {saved}")
            if os.path.exists(os.path.join(folder, "m.model")):
                used = self.campaign.shell(f"exec hinge predict m.model d.{task} > p.txt", folder, 30)
                if used.status != 0:
                    findings.append(f"{story}: the model cannot be used: {used.breach() or used.tail()}")
            if partial_files(folder) and status == 0:
                findings.append(f"{story}: leaves {partial_files(folder)}")
            if os.path.exists(os.path.join(folder, "c.ckpt")):
                resumed = self.campaign.shell("exec hinge train --resume c.ckpt", folder, 120)
                if resumed.status != 0:
                    findings.append(f"{story}; hinge train --resume c.ckpt: {resumed.breach() or resumed.tail()}")
                elif partial_files(folder):
                    findings.append(f"{story}; hinge train --resume c.ckpt: leaves {partial_files(folder)}")
                elif contents(os.path.join(folder, "m.model")) != model:
                    findings.append(f"{story}; hinge train --resume c.ckpt: the model differs from that of an uninterrupted run")
            return findings
        return case

    def tune(self):
        """The same command resumes a tuning loop."""
        decoder = os.path.join(REPOSITORY, "examples/nbest_decoder")
        command = (f"hinge tune --decoder '{decoder} t.rerank 5 {{weights}} {{nbest}}' --source t.ref --refs t.ref "
                   "--iterations 4 -o m.model --weights w.txt")

        def case(rng, folder):
            result, model, seconds = self.reference(command, "rerank")
            if result.status != 0:
                return [f"{command}: {result.breach() or result.tail()}"]
            self.copy("rerank", folder)
            moment = rng.random() * seconds
            self.signalled(command, folder, signal.SIGKILL, moment, False)
            story = f"{command} & sleep {moment:.3f}; kill -9 $!; wait; the same again"
            result = self.campaign.shell("exec " + command, folder, 120)
            if result.status != 0:
                return [f"{story}: {result.breach() or result.tail()}"]
            if contents(os.path.join(folder, "m.model")) != model:
                return [f"{story}: the model differs from that of an uninterrupted run"]
            left = partial_files(folder)
            return [f"{story}: leaves {left}"] if left else []
        return case


def catches(process, number):
    """Whether a process has a handler for the signal: while data is read there is nothing to keep, and none."""
    with open(f"/proc/{process}/status") as file:
        fields = dict(line.split(None, 1) for line in file if line.startswith(("Name:", "SigCgt:")))
    return fields["Name:"].strip() == "hinge" and int(fields["SigCgt:"], 16) >> (number - 1) & 1  # no longer the shell


def main():
    campaign = Campaign("kills", __doc__)
    prepare(campaign)
    kills = Kills(campaign)
    cases = []
    for task in FILES:
        for learner in learners(campaign):
            cases += [kills.hard(task, learner)] * 3
            cases += [kills.soft(task, learner, s) for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
    cases += [kills.tune()] * 3
    campaign.run(cases, endless=True)


main()
