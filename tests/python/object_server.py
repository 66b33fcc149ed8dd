"""A real S3 server on this machine, SeaweedFS, and a proxy that counts the requests to it.

    python object_server.py FOLDER COMMAND [ARGUMENT...]

runs a command with the variables of the environment that lead to the server, and prints the number of its requests and the bytes of the
answers to standard error. The server keeps its data in FOLDER; its bucket is `traces`.
"""

import asyncio
import contextlib
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from pyarrow import fs

KEY = "TESTKEY"
READER = "READKEY"
SECRET = "a-secret-that-must-not-be-shown"
REQUEST = re.compile(rb"(?:^|\r\n\r\n)([A-Z]+) (/\S*) HTTP/1\.1\r\n")


def free_ports(count):
    """Returns ports that nothing uses. The server uses those that are greater by 10,000 as well. All of them are below those that the
    system gives to connections, which may be taken at any time."""
    ports = []
    with contextlib.ExitStack() as held:
        for port in random.sample(range(10_000, 20_000), 1_000):
            sockets = [held.enter_context(socket.socket()) for _ in range(2)]
            try:
                for candidate, number in zip(sockets, (port, port + 10_000), strict=True):
                    candidate.bind(("127.0.0.1", number))
            except OSError:
                continue
            ports.append(port)
            if len(ports) == count:
                return ports
    raise OSError("too few ports are free")


class ObjectServer:
    """A server, its bucket `traces`, and the requests and bytes that it has answered."""

    def __init__(self, folder):
        self.requests = []
        self.bytes = 0
        master, volume, filer, s3, proxy = free_ports(5)
        actions = {KEY: ["Admin", "Read", "Write", "List", "Tagging"], READER: ["Read", "List"]}
        identities = [
            {"name": key, "credentials": [{"accessKey": key, "secretKey": SECRET}], "actions": allowed}
            for key, allowed in actions.items()
        ]
        settings = Path(folder) / "s3.json"
        settings.write_text(json.dumps({"identities": identities}))
        weed = Path(sys.executable).parent / "weed"
        self._log = (Path(folder) / "log").open("w")
        self._server = subprocess.Popen(
            [str(weed), "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
            + [f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}"]
            + ["-master.volumeSizeLimitMB=64", "-volume.max=0", "-s3"]
            + [f"-s3.port={s3}", f"-s3.config={settings}"]
            + ["-s3.port.iceberg=0", "-s3.port.lance=0"],
            stdout=self._log,
            stderr=self._log,
        )
        self._s3 = s3
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, args=(proxy,), daemon=True)
        self._thread.start()
        self.environment = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }
        try:
            self._create_bucket()
        except BaseException:
            self.close()
            raise

    def client(self, port=None):
        """An independent client of the server, through the proxy unless there is a port."""
        endpoint = f"127.0.0.1:{port}" if port else self.environment["AWS_ENDPOINT_URL"].removeprefix("http://")
        return fs.S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            endpoint_override=endpoint,
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )

    def forget(self):
        """Counts from 0 on."""
        self.requests, self.bytes = [], 0

    def close(self):
        # Ending in order would take half a minute.
        self._server.kill()
        self._server.wait()
        self._log.close()
        asyncio.run_coroutine_threadsafe(self._disconnect(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _create_bucket(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.client(self._s3).create_dir("traces")
            except OSError as error:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    self._log.flush()
                    error.add_note(Path(self._log.name).read_text()[-2000:])
                    raise
                time.sleep(0.3)

    def _serve(self, port):
        async def start():
            await asyncio.start_server(self._connect, "127.0.0.1", port)

        self._loop.run_until_complete(start())
        self._loop.run_forever()

    async def _disconnect(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connect(self, reader, writer):
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._s3)

        async def forward(source, target, look):
            with contextlib.suppress(ConnectionError):
                while data := await source.read(1 << 16):
                    look(data)
                    target.write(data)
                    await target.drain()
            target.close()

        def count_requests(data):
            for method, path in REQUEST.findall(data):
                self.requests.append(f"{method.decode()} {path.decode()}")

        def count_bytes(data):
            self.bytes += len(data)

        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(
                forward(reader, server_writer, count_requests),
                forward(server_reader, writer, count_bytes),
            )


def main(folder, *command):
    path = Path(folder)
    path.mkdir(exist_ok=True)
    server = ObjectServer(path)
    try:
        server.forget()
        code = subprocess.run(command, env=os.environ | server.environment).returncode
        print(f"{len(server.requests)} requests, {server.bytes:,} bytes", file=sys.stderr)
        for request in server.requests[:40]:
            print(f"  {request}", file=sys.stderr)
    finally:
        server.close()
    return code


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
