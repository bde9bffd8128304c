"""Runs: every robot file of the packages, through the command `carom simulate FILE --until T` as a user would type it.

There is no reference for the motion: a run has to end, with an energy book that closes and contacts on their surfaces,
or the command has to say why it does not.
"""

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import mujoco
import numpy as np
import pinocchio as pin

import judge
import mjcf
import urdf

PACKAGE = "run"
# Simulated time, s: in a usual run, and in a full one.
SHORT, FULL = 0.2, 1.0
# Seconds of CPU and of wall-clock time after which a process is stopped.
LIMIT = 60
# Processes side by side. Their limit in wall-clock time allows for other load on the machine.
WORKERS = 2
WALL_FACTOR = 10
# The fraction of the files that must end.
TARGET = 0.95
# Bound on the residual of the energy book, over the largest energy, and on the depth of a contact inside its surface,
# over the length of the robot.
RESIDUAL, DEPTH = 1e-8, 1e-6
# How much of a message is shown.
WIDTH = 220


@dataclass
class Run:
    """The result for a file."""

    package: str
    file: str
    # ended, refused, failed, too long or WRONG: ended without a message, or with one that blames the program
    status: str
    reason: str = ""
    # CPU time, s
    cpu: float = 0.0
    summary: dict = field(default_factory=dict)
    contacts: int = 0
    events: int = 0
    length: float = 1.0

    @property
    def depth(self):
        """The deepest contact inside its surface, over the length of the robot."""
        return self.summary["penetration"] / self.length


def chosen(pattern):
    """Files with joints that their reference loads and whose M is regular: package, name and path."""
    found = []
    for package, files, is_regular in packages():
        wanted = [(name, path) for name, path in files if pattern in f"{PACKAGE}/{package}/{name}"]
        found += [(package, name, path) for name, path in wanted if is_regular(path)]
    return found


def packages():
    yield urdf.PACKAGE, urdf.files(), urdf_is_regular
    for package in mjcf.PACKAGES:
        yield package, mjcf.files(package), mjcf_is_regular


def urdf_is_regular(path):
    try:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    except Exception:
        return False
    mass = np.triu(pin.crba(model, model.createData(), pin.neutral(model)))
    return is_regular(mass + np.triu(mass, 1).T)


def mjcf_is_regular(path):
    model = mjcf.compiled(path)
    if model is None or model.nv == 0:
        return False
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    return is_regular(mass)


def is_regular(mass):
    return judge.scaled_eigenvalues(mass)[0] > judge.SINGULAR


def run(command, pattern, until, law=None):
    """Every file that the pattern selects, in the order of packages and names, by the command's law or another."""
    files = chosen(pattern)
    done = Progress(len(files))

    def one(file):
        package, name, path = file
        result = simulate(command, package, name, path, until, law)
        done.tell(result)
        return result

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, files))


class Progress:
    """One line per file on standard error."""

    def __init__(self, total):
        self.total, self.count, self.lock = total, 0, threading.Lock()

    def tell(self, of):
        with self.lock:
            self.count += 1
            text = f"[{self.count}/{self.total}] {of.package}/{of.file}: {of.status}, {of.cpu:.1f} s"
            os.write(2, f"{text}{': ' + of.reason if of.reason else ''}\n".encode())


def simulate(command, package, name, path, until, law=None):
    """One process, with its CPU time; it is stopped at the limit."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        # The form of the output is the only thing asked for, and the law, if one is.
        arguments = [command, "simulate", str(path), "--until", str(until), "--format", "json"]
        arguments += ["--law", law] if law else []
        limited = ["/bin/sh", "-c", f'ulimit -t {LIMIT}; exec "$@"', "sh", *arguments]
        process = subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        code, cpu = wait(process)
        out.seek(0)
        err.seek(0)
        output, message = out.read(), err.read().decode(errors="replace")
    found = Run(package, name, "WRONG", cpu=cpu)
    folder = str(urdf.root() if package == urdf.PACKAGE else mjcf.root(package))
    judged(found, code, output, message.replace(f"{folder}/", "").replace(f"{name}: ", ""))
    return found


def wait(process):
    """The code with which a process ends, and its CPU time."""
    end = time.monotonic() + WALL_FACTOR * LIMIT
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            process.kill()
            end = float("inf")
        time.sleep(0.01)


def judged(found, code, output, message):
    """Sorts a run by what the command said."""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        found.status, found.reason = "too long", f"more than {LIMIT} s"
        return
    record = parsed(output)
    if code < 0 or "panicked" in message:
        found.reason = f"ended by signal {-code}" if code < 0 else short(message)
        return
    if "summary" in record:
        found.summary, header = record["summary"], record["header"]
        found.contacts, found.events = len(header["contacts"]), len(record["events"])
        found.length = header["length"]
        if found.summary["ending"] == "complete" and code == 0:
            found.status = "ended"
        elif found.summary.get("failure"):
            found.status, found.reason = "failed", short(found.summary["failure"])
        else:
            found.reason = f"ending {found.summary['ending']}, code {code}"
        return
    if code != 0 and message.strip():
        found.status, found.reason = "refused", short(message)
    else:
        found.reason = f"code {code} without a message"


def parsed(output):
    try:
        return json.loads(output)
    except ValueError:
        return {}


def short(message):
    """The first line of a message that is an error."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    line = next((line for line in lines if line.startswith("error")), lines[0] if lines else "")
    line = line.removeprefix("error: ")
    return line if len(line) <= WIDTH else line[: WIDTH - 3] + "..."


def missed(found, is_whole):
    """What is wrong with the runs."""
    name = lambda of: f"`{of.package}/{of.file}`"
    wrong = [f"{name(of)}: {of.reason}" for of in found if of.status == "WRONG"]
    wrong += [f"{name(of)} takes more than {LIMIT} s" for of in found if of.status == "too long"]
    for of in found:
        if of.summary and not of.summary["residual"] <= RESIDUAL:
            wrong.append(f"{name(of)}: a residual of {of.summary['residual']:.1e}")
        if of.summary and not of.depth <= DEPTH:
            wrong.append(f"{name(of)}: a contact {of.depth:.1e} of the length inside its surface")
    ended = sum(of.status == "ended" for of in found)
    if is_whole and ended < TARGET * len(found):
        wrong.append(f"{ended} of {len(found)} runs end, {TARGET:.0%} must")
    return wrong
