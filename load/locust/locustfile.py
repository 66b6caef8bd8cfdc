"""Sends the requests of plan.json, and writes a line for each, for `petvet load --from`."""

import base64
import json
import os
import re
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
SECRETS = {name: os.environ.get(name, "") for name in PLAN["variables"]}
COMMON = {name: Template(text).substitute(SECRETS) for name, text in PLAN["headers"]}
HEADERS = {"": COMMON | {"Accept-Encoding": "identity"}}
for key in PLAN["keys"]:
    HEADERS[key["label"]] = HEADERS[""] | {"Authorization": f"Bearer {SECRETS[key['variable']]}"}
KEPT_HEADER = re.compile("x-ratelimit-(limit|remaining|reset)|retry-after|date", re.IGNORECASE)
MAX_HEADERS, MAX_VALUE_LENGTH, MAX_BODY_BYTES = 12, 100, 1024 * 1024
TIMEOUT_SECONDS, LEAD_SECONDS = PLAN["responseTimeoutMs"] / 1000, 10

# A request is sent once: by default an idempotent one is sent again where a connection is lost,
# and no option of Locust or geventhttpclient changes that.
geventhttpclient.client.IDEMPOTENT_METHODS = frozenset()


def create_trusting_context(cafile=None):
    """Verifies certificates, also by the CA of the plan or of REQUESTS_CA_BUNDLE."""
    context = gevent.ssl.create_default_context()
    own = FOLDER / PLAN["ca"] if PLAN["ca"] else os.environ.get("REQUESTS_CA_BUNDLE")
    for place in filter(None, (cafile, own)):
        context.load_verify_locations(place)
    return context


def hide(text):
    """A target may send a key back; no file has it, in no spelling of these."""
    for name, secret in SECRETS.items():
        encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
        for spelling in (secret, quote(secret, safe=""), encoded):
            text = text.replace(spelling, f"${name}")
    return text[:MAX_VALUE_LENGTH]


class Run:
    """One start of the plan on this worker: its clock, its file, and when keys are not used."""

    def __init__(self, worker, run, workers, lead):
        self.begins = time.perf_counter() + lead
        self.silent_until = {}
        self.lines = self.users = self.finished = 0
        folder = Path(os.environ.get("PETVET_SAMPLES") or FOLDER)
        path = folder / f"samples-{run}-{worker}.ndjson"
        self.file = path.open("x", encoding="utf-8", buffering=1)
        head = {"run": run, "worker": worker, "workers": workers, "plan": PLAN}
        self.write(head | {"startsAtMs": round((time.time() + lead) * 1000)})

    def now(self):
        """Milliseconds since the start on which all workers agreed; negative before it."""
        return (time.perf_counter() - self.begins) * 1000

    def write(self, line):
        self.file.write(json.dumps(line, separators=(",", ":")) + "\n")


RUN: Run | None = None


@events.init_command_line_parser.add_listener
def set_defaults(parser):
    users, time_limit = PLAN["users"], f"{PLAN['seconds']}s"
    parser.set_defaults(num_users=users, spawn_rate=users, run_time=time_limit, stop_timeout="15")


@events.init.add_listener
def prepare(runner, **_):
    if isinstance(runner, MasterRunner):
        return
    missing = [name for name, secret in SECRETS.items() if not secret]
    if missing:
        sys.exit(f"petvet: not set in the environment of this worker: {', '.join(missing)}")
    runner.register_message("petvet-start", begin)


@events.test_start.add_listener
def start(environment, **_):
    if not isinstance(environment.runner, WorkerRunner):
        gevent.spawn(conduct, environment.runner)


def conduct(runner):
    """Agrees on the start when all users are there, and ends the run after the last one."""
    while runner.user_count < PLAN["users"]:
        gevent.sleep(0.1)
    # A window may end with a minute: the start, and so each burst, is in the first half of one.
    second = (time.time() + LEAD_SECONDS) % 60
    lead = LEAD_SECONDS + (0 if 5 <= second <= 30 else (65 - second) % 60)
    workers = runner.worker_count if isinstance(runner, MasterRunner) else 1
    run = {"run": uuid.uuid4().hex[:12], "workers": workers, "lead": lead}
    clock = {"machine": uuid.getnode(), "at": time.time() + lead}
    runner.send_message("petvet-start", run | {"clock": clock})
    # Mostly before the time of the plan.
    while runner.user_count > 0:
        gevent.sleep(0.5)
    runner.quit()


def begin(environment, msg, **_):
    """The start is so long after the message; on one machine by its clock, which is exact."""
    global RUN
    clock = msg.data.pop("clock")
    if clock["machine"] == uuid.getnode():
        msg.data["lead"] = clock["at"] - time.time()
    RUN = Run(environment.runner.worker_index, **msg.data)


@events.test_stop.add_listener
def finish(**_):
    """Writes the last line of a whole file."""
    if RUN and not RUN.file.closed:
        RUN.write({"end": True, "lines": RUN.lines, "early": RUN.finished < RUN.users})
        RUN.file.close()


def jobs_of(index):
    """The requests of a user, in order: every n-th of each phase with n users."""
    for place, phase in enumerate(PLAN["phases"]):
        if 0 <= index - phase["first"] < phase["users"]:
            for number in range(index - phase["first"], phase["requests"], phase["users"]):
                yield place, number


def stated_wait(headers):
    """The Retry-After of a refusal in milliseconds; a minute without one that can be read."""
    stated = next((value for name, value in headers if name.lower() == "retry-after"), "60")
    try:
        if stated.isdigit():
            return int(stated) * 1000
        return (parsedate_to_datetime(stated).timestamp() - time.time()) * 1000
    except (TypeError, ValueError):
        return 60_000


class PlannedUser(FastHttpUser):
    """Sends its part of the plan and stops; one that is spawned again sends nothing."""

    abstract, insecure, host = True, False, PLAN["url"]
    ssl_context_factory = staticmethod(create_trusting_context)
    concurrency, max_redirects, max_retries = 1, 0, 0
    # Later than the limit of a whole exchange.
    connection_timeout = network_timeout = TIMEOUT_SECONDS + 5
    index = due = 0

    def on_start(self):
        while RUN is None:
            gevent.sleep(0.05)
        if RUN.now() > 0:
            raise StopUser()
        RUN.users += 1
        self.jobs = jobs_of(self.index)
        self.client.client.valid_response_codes = range(100, 600)
        self.client.client.cookiejar = None

    def wait_time(self):
        return max(0, self.due - RUN.now()) / 1000

    @task
    def send_next(self):
        place, number = next(self.jobs, (None, None))
        if place is None:
            RUN.finished += 1
            raise StopUser()
        phase = PLAN["phases"][place]
        key, ends = phase["key"], phase["atMs"] + phase["forMs"]
        self.due = phase["atMs"] + number * phase["everyMs"]
        if phase["part"] == "try":
            self.due = max(self.due, RUN.silent_until.get(key, 0))
        if self.due > ends:
            return
        self.wait()
        obeys = phase["part"] != "burst" or "ban" not in PLAN["allow"]
        is_silent = obeys and RUN.now() < RUN.silent_until.get(key, float("-inf"))
        if is_silent or RUN.now() > ends:
            return
        response = self.send(place, phase, number)
        if response["status"] in (401, 403, 429):
            until = RUN.now() + stated_wait(response["headers"])
            RUN.silent_until[key] = max(until, RUN.silent_until.get(key, 0))

    def send(self, place, phase, number):
        sent = RUN.now()
        line = {"phase": place, "number": number, "dueMs": self.due if phase["everyMs"] else sent}
        line |= {"sentMs": sent, "response": None}
        line |= {"noResponse": "reset", "noAnswerWhy": "interrupted"}
        given = {"headers": HEADERS[phase["key"]], "name": phase["scenario"], "stream": True}
        given |= {"allow_redirects": False, "catch_response": True}
        try:
            with gevent.Timeout(TIMEOUT_SECONDS), self.client.get(PLAN["url"], **given) as response:
                if not response.status_code:
                    raise response.error
                size = len(response.stream.read(MAX_BODY_BYTES + 1))
                if size > MAX_BODY_BYTES:
                    raise ValueError(f"a body of more than {MAX_BODY_BYTES} bytes")
                kept = [one for one in response.headers.items() if KEPT_HEADER.fullmatch(one[0])]
                headers = [[name, hide(value)] for name, value in kept[:MAX_HEADERS]]
                answered = {"status": response.status_code, "headers": headers, "size": size}
                line |= {"response": answered, "noResponse": None, "noAnswerWhy": ""}
                response.success()
        except gevent.Timeout:
            line |= {"response": None, "noResponse": "timeout", "noAnswerWhy": "timeout"}
        except Exception as error:
            line["noAnswerWhy"] = hide(f"{type(error).__name__}: {error}")
        finally:
            line["receivedMs"] = RUN.now()
            if phase["fresh"] or not line["response"]:
                self.client.client.close()
            # A line that cannot be written is counted: the file is then not complete.
            RUN.lines += 1
            RUN.write(line)
        return line["response"] or {"status": 0}


for index in range(PLAN["users"]):
    name = f"User{index}"
    globals()[name] = type(name, (PlannedUser,), {"index": index, "fixed_count": 1})
