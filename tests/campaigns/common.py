"""What the campaigns share: flags, a temporary folder, running commands, counting what fell."""
import argparse
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Skip(Exception):
    """This case does not apply here."""


class Result:
    def __init__(self, status, out, err, hung=False):
        self.status, self.out, self.err, self.hung = status, out, err, hung

    @property
    def signal(self):
        return self.status - 128 if 128 < self.status < 160 else 0

    def complaints(self):
        """The lines on standard error that are errors, not progress or warnings."""
        lines = self.err.splitlines()
        return [l for l in lines if l.startswith("hinge:") and not l.startswith("hinge: warning:")]

    def tail(self):
        """The end of the messages, printable and short."""
        lines = (self.err or self.out).strip().splitlines() or ["no message"]
        return repr(lines[-1][:160])

    def breach(self):
        """What no command may ever do, or None."""
        if self.hung:
            return "hangs"
        if self.signal and self.signal != signal.SIGPIPE:
            return f"dies of signal {self.signal} ({self.tail()})"
        if "internal error" in self.err or self.status == 2:
            return f"exit {self.status}: {self.tail()}"
        if self.status not in (0, 1, 128 + signal.SIGPIPE):
            return f"exit {self.status}, which is not documented: {self.tail()}"
        return None


class Campaign:
    """Runs cases: functions of (random numbers, an empty folder) that return a list of findings."""

    def __init__(self, name, summary):
        parser = argparse.ArgumentParser(description=summary)
        parser.add_argument("--hinge", default=os.path.join(REPOSITORY, "build/release/hinge"))
        parser.add_argument("--seconds", type=float, help="start no case after this many seconds, but try ten")
        parser.add_argument("--runs", type=int, help="try this many cases (default: every case once)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--only", type=int, help="only the case of this number, and show its folder")
        self.name, self.flags = name, parser.parse_args()
        if not os.path.exists(self.flags.hinge):
            parser.error(f"{self.flags.hinge} does not exist; build it or give --hinge")
        self.folder = tempfile.mkdtemp(prefix=f"campaign-{name}-")
        self.data = self.path("data")
        os.makedirs(self.data)
        os.makedirs(self.path("bin"))
        os.symlink(os.path.abspath(self.flags.hinge), self.path("bin/hinge"))
        self.cleaners = []
        self.lock = threading.Lock()
        self.tried = self.fell = 0
        self.begin = time.monotonic()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def environment(self):
        return {"PATH": self.path("bin") + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": self.folder}

    def shell(self, command, folder, limit=10):
        """Runs a command line of bash; one that does not end in `limit` seconds hangs."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(["bash", "-c", "ulimit -c 0; " + command], cwd=folder, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, env=self.environment(), start_new_session=True)
            hung = not ends(process, limit)
            if hung:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read(1 << 22).decode("utf-8", "replace"))
        status = process.returncode
        return Result(128 - status if status < 0 else status, *texts, hung)

    def must(self, command, limit=60):
        """For making the data."""
        result = self.shell(command, self.data, limit)
        if result.status != 0:
            sys.exit(f"campaign {self.name}: cannot prepare: {command}: {result.tail()}")
        return result

    def run(self, cases, endless=False):
        """Tries the cases in an order that the seed decides; endless: again and again, with new random numbers."""
        try:
            self.run_all(cases, endless)
        finally:
            for clean in self.cleaners:
                clean()
            if self.flags.only is None:
                shutil.rmtree(self.folder, ignore_errors=True)
            else:
                print(f"the files are in {self.folder}")
        print(f"campaign {self.name}: tried {self.tried}, survived {self.tried - self.fell}, fell {self.fell}")
        sys.exit(1 if self.fell else 0)

    def run_all(self, cases, endless):
        order = list(range(len(cases)))
        random.Random(self.flags.seed).shuffle(order)
        runs = self.flags.runs or (10**9 if endless and self.flags.seconds else len(cases))
        if not endless:
            runs = min(runs, len(cases))
        numbers = iter(range(runs)) if self.flags.only is None else iter([self.flags.only])
        end = self.begin + (self.flags.seconds or 1e9)

        def work():
            while time.monotonic() < end or self.tried < 10:  # however slow the machine is
                with self.lock:
                    number = next(numbers, None)
                if number is None:
                    return
                self.attempt(number, cases[order[number % len(cases)]])

        with concurrent.futures.ThreadPoolExecutor(self.flags.jobs) as pool:
            for worker in [pool.submit(work) for _ in range(self.flags.jobs)]:
                worker.result()

    def attempt(self, number, case):
        folder = self.path(f"case{number}")
        os.makedirs(folder)
        try:
            findings = case(random.Random(f"{self.flags.seed} {number}"), folder)
        except Skip:
            return
        finally:
            if self.flags.only is None:
                shutil.rmtree(folder, ignore_errors=True)
        with self.lock:
            self.tried += 1
            self.fell += bool(findings)
            for finding in findings:
                print(f"FELL (--seed {self.flags.seed} --only {number}) {finding}", flush=True)


def ends(process, limit):
    """Whether a process ends within so many seconds, not counting those it waits for a core."""
    begin = time.monotonic()
    left = limit
    while left > 0:
        try:
            process.wait(left + 0.1)
            return True
        except subprocess.TimeoutExpired:
            left = limit - (time.monotonic() - begin - starved(process.pid))
    return False


def starved(session):
    """The seconds that the threads of a session were ready to run but had no core."""
    longest = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(process)) != session:
                continue
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/schedstat") as file:
                    longest = max(longest, int(file.read().split()[1]) / 1e9)
        except (OSError, IndexError):
            pass  # it has ended, or this system does not count
    return longest


def contents(path):
    """The bytes of a file; None if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def partial_files(folder):
    return sorted(name for _, _, names in os.walk(folder) for name in names if ".partial" in name)


def learners(campaign):
    return [line.split()[0] for line in campaign.must("hinge learners").out.splitlines() if line[:1].strip()]
