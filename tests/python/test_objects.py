"""Stores on an object store: a real S3 server, whose requests are counted, and pyarrow as an independent client."""

import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import pyarrow.parquet as parquet
from object_server import KEY, READER, SECRET, ObjectServer
from pyarrow import fs
from sources import FOLDTRACE, ROOT

EXAMPLE = ROOT / "examples" / "vcycle-4"
MOST_REQUESTS = 5
MOST_BYTES = 1_000_000


class ObjectStores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        (cls.scratch / "server").mkdir()
        cls.server = ObjectServer(cls.scratch / "server")
        cls.addClassCleanup(cls.server.close)
        cls.client = cls.server.client()
        cls.local = cls.scratch / "vcycle.fold"
        cls.remote = "s3://traces/2026/vcycle.fold"
        for store in (cls.local, cls.remote):
            cls.succeed("convert", EXAMPLE, store, "--derive=calls,messages")

    @classmethod
    def run_with(cls, *command, code=0, **variables):
        """Runs the command, and returns its standard output and standard error, neither of which has the secret."""
        command = [FOLDTRACE, *map(str, command)]
        environment = os.environ | cls.server.environment | variables
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        output = done.stdout + done.stderr
        assert done.returncode == code, (command, done.returncode, output)
        assert not [secret for secret in (SECRET, "hidden") if secret in output], output
        return done.stdout, done.stderr

    @classmethod
    def succeed(cls, *command):
        return cls.run_with(*command)[0]

    def refused(self, *command, code, **variables):
        return "".join(self.run_with(*command, code=code, **variables))

    def objects(self, store):
        """The paths and contents of all objects of a store, none if there is no store."""
        folder = store.removeprefix("s3://")
        found = self.client.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
        files = [info.path for info in found if info.type == fs.FileType.File]
        return {path.removeprefix(f"{folder}/"): self.client.open_input_file(path).read() for path in files}

    def write(self, path, contents):
        with self.client.open_output_stream(path) as stream:
            stream.write(contents)

    def test_the_objects_are_the_files_of_a_local_store(self):
        objects = self.objects(self.remote)
        bundle = objects.pop("bundle")
        files = {str(path.relative_to(self.local)): path.read_bytes() for path in self.local.rglob("*") if path.is_file()}
        self.assertEqual(objects, files)
        self.assertLess(len(bundle), MOST_BYTES)
        self.assertNotIn(SECRET.encode(), b"".join(objects.values()) + bundle)

    def test_keys_are_the_text_of_the_url(self):
        store = "s3://traces/größe 7/50%20+.fold"
        self.succeed("convert", EXAMPLE, store)
        self.assertIn("manifest.json", self.objects(store))
        self.assertIn("all as it was written", self.succeed("verify", store))

    def test_another_program_reads_the_tables(self):
        topology = parquet.read_table("traces/2026/vcycle.fold/topology", filesystem=self.client)
        self.assertEqual(topology.num_rows, parquet.read_table(self.local / "topology").num_rows)

    def test_the_answers_are_those_of_a_local_store(self):
        questions = [
            ("print",),
            ("print", "--at", "2.0:77", "--at", "0:3"),
            ("loops", "--location", "1.0"),
            ("loops", "--global"),
            ("profile",),
            ("matrix",),
            ("waits",),
            ("steps", "--json"),
            ("patterns",),
            ("topology",),
        ]
        for command, *options in questions:
            with self.subTest(command):
                answers = [self.succeed(command, store, *options) for store in (self.local, self.remote)]
                answers = [answer.replace(str(self.local), self.remote) for answer in answers]
                self.assertEqual(*answers)
        self.assertIn("all as it was written", self.succeed("verify", self.remote))
        self.assertIn("vcycle", self.succeed("info", self.remote) + self.remote)
        back = self.scratch / "back.fold"
        self.succeed("convert", self.remote, back)
        self.assertEqual(self.succeed("print", back), self.succeed("print", self.local))

    def test_an_event_costs_few_requests_and_bytes(self):
        """A store of several megabytes, none of whose tables of quantities is in the bundle."""
        trace = self.scratch / "long.trace"
        with trace.open("w") as lines:
            for event in range(400_000):
                peer = 1 + event % 3
                size = (event * 2_654_435_761) % 100_000
                lines.write(f"0 send {peer} 7 bytes={size} time={event * 1000 + size}\n")
        store = "s3://traces/long.fold"
        self.succeed("convert", trace, store)
        for position in (0, 1, 65_535, 65_536, 199_999, 300_000, 399_999):
            with self.subTest(position):
                self.server.forget()
                event = self.succeed("print", store, "--at", f"0:{position}")
                size = (position * 2_654_435_761) % 100_000
                self.assertIn(f"bytes={size}", event)
                self.assertIn(f"time={position * 1000 + size}", event)
                self.assertLessEqual(len(self.server.requests), MOST_REQUESTS, self.server.requests)
                self.assertLessEqual(self.server.bytes, MOST_BYTES)

    def test_a_store_is_replaced_only_on_request_and_as_a_whole(self):
        store = "s3://traces/replaced.fold"
        self.succeed("convert", EXAMPLE, store, "--derive=calls")
        before = self.objects(store)
        self.assertIn("--force", self.refused("convert", EXAMPLE, store, code=5))
        self.assertEqual(self.objects(store), before)
        self.succeed("convert", EXAMPLE, store, "--force")
        after = self.objects(store)
        self.assertLess(set(after), set(before))
        self.assertIn("all as it was written", self.succeed("verify", store))
        self.write("traces/replaced.fold/notes.txt", b"mine")
        self.assertIn("notes.txt", self.refused("convert", EXAMPLE, store, "--force", code=5))
        self.assertEqual(self.objects(store), after | {"notes.txt": b"mine"})
        self.write("traces/site.fold/manifest.json", b'{"name": "a site"}')
        self.assertIn("manifest.json", self.refused("convert", EXAMPLE, "s3://traces/site.fold", "--force", code=5))

    def test_a_killed_upload_leaves_no_store_and_can_be_repeated(self):
        store = "s3://traces/killed.fold"
        for delay in range(20):
            command = [FOLDTRACE, "convert", "--quiet", "--force", str(EXAMPLE), store]
            self.server.forget()
            running = subprocess.Popen(command, env=os.environ | self.server.environment)
            while running.poll() is None and len(self.server.requests) < 6 + delay * 2:
                time.sleep(0.001)
            running.send_signal(signal.SIGKILL)
            running.wait()
            objects = self.objects(store)
            if "manifest.json" in objects:
                self.succeed("print", store, "--at", "0:1")
                continue
            self.refused("info", store, code=4)
            if objects:
                self.assertIn("--force", self.refused("convert", EXAMPLE, store, code=5))
        self.succeed("convert", EXAMPLE, store, "--force")
        objects = self.objects(store)
        self.assertNotIn("uploading", objects)
        self.assertIn("all as it was written", self.succeed("verify", store))

    def test_an_upload_that_is_stopped_leaves_nothing(self):
        store = "s3://traces/stopped.fold"
        command = [FOLDTRACE, "convert", "--quiet", str(EXAMPLE), store]
        self.server.forget()
        running = subprocess.Popen(command, env=os.environ | self.server.environment, stderr=subprocess.PIPE)
        while running.poll() is None and sum(request.startswith("PUT") for request in self.server.requests) < 4:
            time.sleep(0.001)
        running.send_signal(signal.SIGINT)
        self.assertIn(b"stopped", running.communicate()[1])
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.objects(store), {})

    @classmethod
    def archive_of_parts(cls):
        """An archive whose four locations are a part of the store each."""
        trace, archive = cls.scratch / "parts.trace", cls.scratch / "parts.otf2"
        if not archive.exists():
            events = ((event, process) for event in range(50_000) for process in range(4))
            lines = (f"{process} send {(process + 1) % 4} 7 time={1000 * event + event * event % 977}" for event, process in events)
            trace.write_text("\n".join(lines))
            cls.succeed("convert", trace, archive)
        return archive

    def test_shards_make_the_store_of_one_task(self):
        trace, whole, store = self.archive_of_parts(), "s3://traces/whole/run.fold", "s3://traces/shards/run.fold"
        self.succeed("convert", trace, whole)
        for shard in ("2/3", "0/3"):
            self.assertIn("of the input", self.run_with("convert", trace, store, "--shard", shard)[1])
        self.assertIn("shards are missing: 1/3", self.refused("join", store, code=4))
        self.assertIn("written before", self.run_with("convert", trace, store, "--shard", "0/3")[1])
        other = self.refused("convert", trace, store, "--max-body", "3", "--shard", "0/3", code=5)
        self.assertIn("--force", other)
        self.succeed("convert", trace, store, "--shard", "1/3")
        self.succeed("join", store)
        objects = self.objects(whole)
        self.assertGreaterEqual(sum(path.startswith("quantity/") for path in objects), 3)
        self.assertEqual(self.objects(store), objects)
        self.assertEqual(self.objects(f"{store}.shards"), {})
        self.assertIn("all as it was written", self.succeed("verify", store))
        self.assertIn("--force", self.refused("convert", trace, store, "--shard", "0/3", code=5))
        denied = self.refused("convert", trace, "s3://traces/denied.fold", "--shard", "0/3", code=5, AWS_ACCESS_KEY_ID=READER)
        self.assertIn("Access Denied", denied)

    def test_tasks_that_are_killed_are_run_again(self):
        """Two tasks at a time, one of which is killed at a later request in each round. The last one joins the shards."""
        trace, whole, store = self.archive_of_parts(), "s3://traces/of-one/run.fold", "s3://traces/of-two/run.fold"
        self.succeed("convert", trace, whole)
        objects = self.objects(whole)
        command = [FOLDTRACE, "convert", "--quiet", str(trace), store, "--shard", "auto"]
        environment = os.environ | self.server.environment | {"OMPI_COMM_WORLD_SIZE": "2"}
        for kill_after in [*range(1, 60, 3), 10_000]:
            if "manifest.json" in self.objects(store) and not self.objects(f"{store}.shards"):
                self.assertEqual(self.objects(store), objects)
                self.client.delete_dir(store.removeprefix("s3://"))
            self.server.forget()
            variables = [environment | {"OMPI_COMM_WORLD_RANK": str(rank)} for rank in range(2)]
            tasks = [subprocess.Popen(command, env=own, stderr=subprocess.PIPE) for own in variables]
            while tasks[1].poll() is None and len(self.server.requests) < kill_after:
                time.sleep(0.001)
            tasks[1].kill()
            ends = [(task.communicate()[1], task.returncode) for task in tasks]
            self.assertEqual(ends[0][1], 0, (kill_after, ends))
        self.assertEqual(ends[1][1], 0, ends)
        self.assertEqual(self.objects(store), objects)
        self.assertEqual(self.objects(f"{store}.shards"), {})

    def test_damage_is_found(self):
        store = "s3://traces/damaged.fold"
        self.succeed("convert", EXAMPLE, store)
        objects = self.objects(store)
        name = next(name for name in objects if name.startswith("quantity/"))
        self.write(f"traces/damaged.fold/{name}", objects[name][:-1] + b"?")
        self.assertIn(name, self.refused("verify", store, code=4))
        # A small object has a copy in the bundle.
        self.succeed("print", store)
        self.client.delete_file("traces/damaged.fold/bundle")
        self.assertIn(name, self.refused("print", store, code=4))
        self.write(f"traces/damaged.fold/{name}", objects[name])
        self.assertEqual(self.succeed("print", store), self.succeed("print", self.local))
        self.client.delete_file(f"traces/damaged.fold/{name}")
        self.assertIn("is missing", self.refused("print", store, code=4))

    def test_errors_say_what_is_wrong_and_keep_secrets(self):
        self.assertIn("is not a store", self.refused("info", "s3://traces/nothing.fold", code=4))
        denied = self.refused("info", self.remote, code=4, AWS_SECRET_ACCESS_KEY="hidden")
        self.assertIn("AWS_SECRET_ACCESS_KEY", denied)
        password = self.refused("info", f"s3://{KEY}:hidden@traces/x.fold", code=2)
        self.assertIn("must not contain", password)
        nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
        self.assertIn("AWS_ENDPOINT_URL", self.refused("info", self.remote, code=4, **nowhere))
        self.assertIn("bucket", self.refused("info", "s3://traces", code=2))

    def test_who_may_only_read_leaves_a_store_as_it_is(self):
        reader = {"AWS_ACCESS_KEY_ID": READER}
        before = self.objects(self.remote)
        self.run_with("print", self.remote, "--at", "0:1", **reader)
        self.refused("convert", EXAMPLE, self.remote, "--force", code=5, **reader)
        self.refused("convert", EXAMPLE, "s3://traces/new.fold", code=5, **reader)
        self.assertEqual(self.objects(self.remote), before)
        self.assertEqual(self.objects("s3://traces/new.fold"), {})

    def test_what_object_stores_cannot_do_is_refused(self):
        self.assertIn("cannot be changed", self.refused("derive", self.remote, "timeline", code=2))
        self.assertIn("file system", self.refused("waits", self.remote, "--shard", "0/2", code=2))
        self.assertIn("file system", self.refused("derive", self.remote, "calls", "--shard", "0/2", code=2))
        self.assertIn("only stores", self.refused("convert", EXAMPLE, "s3://traces/x.otf2", code=2))
        self.assertIn("only stores", self.refused("report", self.local, "-o", "s3://traces/x.html", code=2))
        within = self.refused("convert", EXAMPLE, f"{self.remote}/inner.fold", code=5)
        self.assertIn("within the store", within)


if __name__ == "__main__":
    unittest.main()
