"""Sends the requests of plan.json, and writes a line for each, for `petvet load --from`."""

import base64
import json
import math
import os
import re
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import quote

import gevent
from locust import FastHttpUser, LoadTestShape, events, task
from locust.exception import StopUser
from locust.runners import MasterRunner

FOLDER = Path(__file__).resolve().parent
PLAN = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))
SECRETS = {name: os.environ.get(name, "") for name in PLAN["variables"]}
HEADERS = {"": {"Accept-Encoding": "identity"}}
for name, text in PLAN["headers"]:
    HEADERS[""][name] = re.sub(r"\${(\w+)}", lambda found: SECRETS.get(found[1], found[0]), text)
for key in PLAN["keys"]:
    HEADERS[key["label"]] = HEADERS[""] | {"Authorization": f"Bearer {SECRETS[key['variable']]}"}
KEPT_HEADER = re.compile("x-ratelimit-(limit|remaining|reset)|retry-after|date", re.IGNORECASE)
MAX_HEADERS, MAX_VALUE_LENGTH, MAX_BODY_BYTES = 12, 100, 1024 * 1024
TIMEOUT_SECONDS, LEAD_SECONDS = PLAN["responseTimeoutMs"] / 1000, 10
MACHINE = f"{gevent.socket.gethostname()} {uuid.getnode()}"
CA = FOLDER / "ca.pem" if (FOLDER / "ca.pem").exists() else os.environ.get("REQUESTS_CA_BUNDLE")


class SentOnce(str):
    """A method that is in no set, and so not among those that geventhttpclient sends again."""

    __hash__ = object.__hash__

    def upper(self):
        return self


GET = SentOnce("GET")


def hide(text):
    """A target may send a key back; no file has it, in no spelling of these."""
    for name, secret in SECRETS.items():
        encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
        for spelling in (secret, quote(secret, safe=""), encoded):
            text = text.replace(spelling, f"${name}")
    return text[:MAX_VALUE_LENGTH]


class Run:
    """One start of the plan on this worker: its clock, its file, and when keys are not used."""

    def __init__(self, worker, run, workers, lead, at, machine):
        # So long after the message; on the machine of the master by its clock, which is exact.
        has_master_clock = machine == MACHINE
        lead = at - time.time() if has_master_clock else lead
        self.begins = time.perf_counter() + lead
        self.silent_until = dict.fromkeys(HEADERS, -math.inf)
        self.users = self.finished = 0
        path = Path(os.environ.get("PETVET_SAMPLES", FOLDER)) / f"samples-{run}-{worker}.ndjson"
        self.file = path.open("x", encoding="utf-8", buffering=1)
        head = {"run": run, "worker": worker, "workers": workers, "plan": PLAN}
        starts = round((time.time() + lead) * 1000)
        self.write(head | {"startsAtMs": starts, "hasMasterClock": has_master_clock})

    def now(self):
        """Milliseconds since the start on which all workers agreed; negative before it."""
        return (time.perf_counter() - self.begins) * 1000

    def write(self, line):
        self.file.write(json.dumps(line, separators=(",", ":")) + "\n")


RUN: Run | None = None


@events.init.add_listener
def prepare(environment, runner, **_):
    environment.stop_timeout = 15
    if isinstance(runner, MasterRunner):
        return
    missing = [name for name, secret in SECRETS.items() if not secret]
    if missing:
        sys.exit(f"petvet: not set in the environment of this worker: {', '.join(missing)}")
    runner.register_message("petvet-start", begin)


class PlannedRun(LoadTestShape):
    """Agrees on the start when all users are there, and ends the run after the last one."""

    has_begun = False

    def tick(self):
        users, present = PLAN["users"], self.get_current_user_count()
        if present == users and not self.has_begun:
            self.has_begun = True
            # A window may end with a minute: the start, and so each burst, is in its first half.
            second = (time.time() + LEAD_SECONDS) % 60
            lead = LEAD_SECONDS + (0 if 5 <= second <= 30 else (65 - second) % 60)
            start = {"run": uuid.uuid4().hex[:12], "lead": lead, "at": time.time() + lead}
            start |= {"machine": MACHINE, "workers": getattr(self.runner, "worker_count", 1)}
            self.runner.send_message("petvet-start", start)
        # It lasts for the plan, after a start within 80 s at most.
        is_over = (self.has_begun and present == 0) or self.get_run_time() > PLAN["seconds"] + 80
        return None if is_over else (users, users)


def begin(environment, msg, **_):
    global RUN
    RUN = Run(environment.runner.worker_index, **msg.data)


@events.test_stop.add_listener
def finish(**_):
    """Writes the last line of a whole file."""
    if RUN and not RUN.file.closed:
        RUN.write({"end": True, "early": RUN.finished < RUN.users})
        RUN.file.close()


class PlannedUser(FastHttpUser):
    """Sends its part of the plan and stops; one that is spawned again sends nothing."""

    abstract, insecure, host = True, False, PLAN["url"]
    # geventhttpclient adds the usual certificates.
    ssl_context_factory = staticmethod(lambda: gevent.ssl.create_default_context(cafile=CA))
    concurrency, max_redirects, max_retries = 1, 0, 0
    # Later than the limit of a whole exchange.
    connection_timeout = network_timeout = TIMEOUT_SECONDS + 5
    index = due = 0

    def wait_time(self):
        return max(0, self.due - RUN.now()) / 1000

    @task
    def send_all(self):
        while RUN is None:
            gevent.sleep(0.05)
        if RUN.now() > 0:
            raise StopUser()
        RUN.users += 1
        self.client.client.valid_response_codes = range(100, 600)
        self.client.client.cookiejar = None
        for place, phase in enumerate(PLAN["phases"]):
            if 0 <= self.index - phase["first"] < phase["users"]:
                for number in range(self.index - phase["first"], phase["requests"], phase["users"]):
                    self.send_when_due(place, phase, number)
        RUN.finished += 1
        raise StopUser()

    def send_when_due(self, place, phase, number):
        key, ends = phase["key"], phase["atMs"] + phase["forMs"]
        self.due = phase["atMs"] + number * phase["everyMs"]
        if phase["part"] == "try":
            self.due = max(self.due, RUN.silent_until[key])
        if self.due > ends:
            return
        self.wait()
        obeys = phase["part"] not in ("burst", "fresh") or "ban" not in PLAN["allow"]
        if RUN.now() > ends or (obeys and RUN.now() < RUN.silent_until[key]):
            return
        response = self.send(phase, {"phase": place, "number": number})
        if response and response["status"] in (401, 403, 429):
            # Where Retry-After is no number of seconds, the key stays silent.
            stated = dict(response["headers"]).get("retry-after", "60")
            until = RUN.now() + int(stated) * 1000 if stated.isdecimal() else math.inf
            RUN.silent_until[key] = max(until, RUN.silent_until[key])

    def send(self, phase, line):
        line |= {"sentMs": RUN.now(), "response": None, "noAnswerWhy": ""}
        given = {"headers": HEADERS[phase["key"]], "name": phase["scenario"], "stream": True}
        try:
            with gevent.Timeout(TIMEOUT_SECONDS):
                answer = self.client.request(GET, PLAN["url"], allow_redirects=False, **given)
                answer.raise_for_status()
                size = len(answer.stream.read(MAX_BODY_BYTES + 1))
            if size > MAX_BODY_BYTES:
                raise ValueError(f"a body of more than {MAX_BODY_BYTES} bytes")
            kept = [one for one in answer.headers.items() if KEPT_HEADER.fullmatch(one[0])]
            headers = [[name.lower(), hide(value)] for name, value in kept[:MAX_HEADERS]]
            line["response"] = {"status": answer.status_code, "headers": headers, "size": size}
        except (Exception, gevent.Timeout) as error:
            line["noAnswerWhy"] = hide(f"{type(error).__name__}: {error}")
        finally:
            line["receivedMs"] = RUN.now()
            if phase["part"] == "fresh" or not line["response"]:
                self.client.client.close()
            RUN.write(line)
        return line["response"]


for index in range(PLAN["users"]):
    name = f"User{index}"
    globals()[name] = type(name, (PlannedUser,), {"index": index, "fixed_count": 1})
