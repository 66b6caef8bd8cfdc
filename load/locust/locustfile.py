"""Sends the requests of plan.json, and writes a line for each, for `petvet load --from`."""

import base64
import json
import os
import sys
import time
import uuid
from email.utils import parsedate_to_datetime
from pathlib import Path
from string import Template
from urllib.parse import quote

import gevent
import geventhttpclient.client
from locust import FastHttpUser, events, task
from locust.exception import StopUser
from locust.runners import MasterRunner, WorkerRunner

FOLDER = Path(__file__).resolve().parent
PLAN = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))
VARIABLES = {key["label"]: key["variable"] for key in PLAN["keys"]}
KEPT_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
KEPT_HEADERS += ("retry-after", "date")
MAX_HEADERS, MAX_VALUE_LENGTH, MAX_BODY_BYTES = 12, 100, 1024 * 1024
REFUSALS, USUAL_SILENCE_SECONDS, MAX_SILENCE_SECONDS = (401, 403, 429), 60, 3600

# A request is sent once: by default an idempotent one is sent again where a connection is lost,
# and no option of Locust or geventhttpclient changes that.
geventhttpclient.client.IDEMPOTENT_METHODS = frozenset()


def create_trusting_context(cafile=None):
    """Verifies certificates, also by the CA of the plan or of REQUESTS_CA_BUNDLE."""
    context = gevent.ssl.create_default_context()
    own = FOLDER / PLAN["ca"] if PLAN["ca"] else os.environ.get("REQUESTS_CA_BUNDLE")
    for place in filter(None, (cafile, own)):
        context.load_verify_locations(**{"capath" if os.path.isdir(place) else "cafile": place})
    return context


def read_secrets():
    """The keys and the secrets of headers, each with its variable."""
    names = sorted({*VARIABLES.values(), *PLAN["secrets"]})
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        sys.exit(f"petvet: not set in the environment of this worker: {', '.join(missing)}")
    return {name: os.environ[name] for name in names}


class Run:
    """One start of the plan on this worker: its clock, its file, and what must not be sent."""

    def __init__(self, worker, run, workers, lead):
        self.begins, self.worker = time.perf_counter() + lead, worker
        self.silent_until, self.ended = {}, set()
        self.lines = self.users = self.finished = 0
        self.secrets = read_secrets()
        common = {name: Template(text).substitute(self.secrets) for name, text in PLAN["headers"]}
        self.headers = {"": {"Accept-Encoding": "identity", **common}}
        for label, name in VARIABLES.items():
            bearer = {"Authorization": f"Bearer {self.secrets[name]}"}
            self.headers[label] = self.headers[""] | bearer
        folder = Path(os.environ.get("PETVET_SAMPLES") or FOLDER)
        path = folder / f"samples-{run}-{worker}.ndjson"
        self.file = path.open("x", encoding="utf-8", buffering=1)
        head = {"petvet": 1, "run": run, "worker": worker, "workers": workers}
        self.write(head | {"startsAtMs": round((time.time() + lead) * 1000), "plan": PLAN})

    def now(self):
        """Milliseconds since the start on which all workers agreed; negative before it."""
        return (time.perf_counter() - self.begins) * 1000

    def write(self, line):
        self.file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def hide(self, text):
        """A target may send a key back; no file has it, in no spelling of these."""
        for name, secret in self.secrets.items():
            encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
            for spelling in (secret, quote(secret, safe=""), encoded):
                text = text.replace(spelling, f"${name}")
        return text[:MAX_VALUE_LENGTH]

    def end(self):
        """The last line of a whole file."""
        if not self.file.closed:
            self.write({"end": True, "lines": self.lines, "early": self.finished < self.users})
            self.file.close()


RUN: Run | None = None


@events.init_command_line_parser.add_listener
def set_defaults(parser):
    users, time_limit = PLAN["users"], f"{PLAN['seconds']}s"
    parser.set_defaults(num_users=users, spawn_rate=users, run_time=time_limit, stop_timeout="15")


@events.init.add_listener
def prepare(environment, runner=None, **_):
    options = environment.parsed_options
    if options and not options.worker and options.num_users != PLAN["users"]:
        sys.exit(f"petvet: the plan has {PLAN['users']} users: leave out --users")
    if runner and not isinstance(runner, MasterRunner):
        read_secrets()
        runner.register_message("petvet-start", begin)


@events.test_start.add_listener
def announce(environment, **_):
    """The master, or the only process, agrees on the start with all workers."""
    runner = environment.runner
    if isinstance(runner, WorkerRunner):
        return
    lead, (first, last) = PLAN["leadSeconds"], PLAN["startSeconds"]
    second = (time.time() + lead) % 60
    if not first <= second <= last:
        lead += (first - second) % 60
    workers = runner.worker_count if isinstance(runner, MasterRunner) else 1
    start = {"run": uuid.uuid4().hex[:12], "workers": workers, "lead": lead}
    runner.send_message("petvet-start", start)
    gevent.spawn(quit_when_done, runner)


def quit_when_done(runner):
    """All users stop when they have sent their part, mostly before the time of the plan."""
    gevent.sleep(PLAN["leadSeconds"] + 1)
    while runner.user_count > 0:
        gevent.sleep(0.5)
    runner.quit()


def begin(environment, msg, **_):
    global RUN
    RUN = Run(environment.runner.worker_index, **msg.data)


@events.test_stop.add_listener
def finish(**_):
    if RUN:
        RUN.end()


def jobs_of(index):
    """The requests of a user, in order: every n-th of each phase with n users."""
    for place, phase in enumerate(PLAN["phases"]):
        if 0 <= index - phase["first"] < phase["users"]:
            for number in range(index - phase["first"], phase["requests"], phase["users"]):
                yield place, phase, number


def stated_silence(headers):
    """The Retry-After of a refusal in milliseconds; a minute without one that can be read."""
    stated = next((value for name, value in headers if name.lower() == "retry-after"), "")
    try:
        date = 0 if stated.isdigit() else parsedate_to_datetime(stated).timestamp() - time.time()
        seconds = int(stated) if stated.isdigit() else date
    except (TypeError, ValueError):
        seconds = USUAL_SILENCE_SECONDS
    return min(max(seconds, 0), MAX_SILENCE_SECONDS) * 1000


class PlannedUser(FastHttpUser):
    """Sends its part of the plan and stops; one that is spawned again sends nothing."""

    abstract, insecure, host = True, False, PLAN["origin"]
    ssl_context_factory = staticmethod(create_trusting_context)
    concurrency, max_redirects, max_retries = 1, 0, 0
    connection_timeout = network_timeout = PLAN["timeoutSeconds"]
    index = due = 0

    def on_start(self):
        if RUN is None or RUN.now() > 0:
            raise StopUser()
        RUN.users += 1
        self.jobs = jobs_of(self.index)
        self.client.client.valid_response_codes = range(100, 600)
        self.client.client.cookiejar = None

    def wait_time(self):
        return max(0, self.due - RUN.now()) / 1000

    @task
    def send_next(self):
        place, phase, number = next(self.jobs, (None, None, None))
        if phase is None:
            RUN.finished += 1
            raise StopUser()
        key, is_try = phase["key"], phase["part"] == "try"
        self.due = phase["atMs"] + number * phase["everyMs"]
        if is_try and number > 0:
            self.due = max(self.due, RUN.silent_until.get(key, 0))
        ends = phase["atMs"] + phase["forMs"]
        if self.due > ends or place in RUN.ended:
            return
        self.wait()
        silent_until = RUN.silent_until.get(key, 0) if phase["obeys"] else 0
        if not silent_until <= RUN.now() <= ends:
            return
        line = self.send(place, phase, number)
        if line["status"] in REFUSALS:
            until = line["received"] + stated_silence(line["headers"])
            RUN.silent_until[key] = max(until, RUN.silent_until.get(key, 0))
        elif is_try:
            RUN.ended.add(place)

    def send(self, place, phase, number):
        line = {"phase": place, "number": number, "scenario": phase["scenario"]}
        line |= {"key": phase["key"], "worker": RUN.worker, "sent": RUN.now(), "status": 0}
        line |= {"headers": [], "size": 0, "error": "interrupted"}
        line |= {"due": self.due} if phase["everyMs"] > 0 else {}
        try:
            with gevent.Timeout(PLAN["timeoutSeconds"]):
                self.exchange(phase, line)
        except gevent.Timeout:
            line["error"] = "timeout"
        except Exception as error:
            line["error"] = RUN.hide(f"{type(error).__name__}: {error}")
        finally:
            line["received"] = RUN.now()
            if line["error"]:
                line |= {"status": 0, "headers": []}
            if line["error"] or phase["fresh"]:
                self.client.client.close()
            self.record(line)
        return line

    def exchange(self, phase, line):
        """Fills in what came of one request."""
        given = {"headers": RUN.headers[phase["key"]], "name": phase["scenario"]}
        given |= {"allow_redirects": False, "catch_response": True, "stream": True}
        with self.client.get(PLAN["url"], **given) as response:
            if not response.status_code:
                raise response.error
            body = response.stream.read(MAX_BODY_BYTES + 1)
            kept = [pair for pair in response.headers.items() if pair[0].lower() in KEPT_HEADERS]
            line["headers"] = [[name, RUN.hide(value)] for name, value in kept[:MAX_HEADERS]]
            line |= {"status": response.status_code, "size": len(body)}
            line["error"] = "too long" if len(body) > MAX_BODY_BYTES else None
            response.success()

    def record(self, line):
        try:
            RUN.write(line)
            RUN.lines += 1
        except OSError as error:
            # What cannot be recorded is not sent either; the file has no last line.
            sys.stderr.write(f"petvet: cannot write the samples: {error}\n")
            self.environment.runner.quit()


for index in range(PLAN["users"]):
    name = f"User{index}"
    globals()[name] = type(name, (PlannedUser,), {"index": index, "fixed_count": 1})
