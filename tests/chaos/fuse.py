"""A file system of a program that accepts every request and answers none: its users cannot be killed."""
import contextlib
import os
import struct
import threading

import world

INIT = 26
HEADER = struct.Struct("<IIQQIIII")  # of a request: length, opcode, unique, nodeid, uid, gid, pid, padding
REPLY = struct.Struct("<IiQ")
# major, minor, max_readahead, flags, max_background, congestion_threshold, max_write, time_gran, ...
INIT_REPLY = struct.Struct("<IIIIHHII9I")


class SilentFilesystem:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self._fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        world.mount("silent", folder, "fuse", 0, f"fd={self._fd},rootmode=40000,user_id=0,group_id=0,allow_other")
        # A process can give up a request that was not read yet, but not one that was read.
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self):
        with contextlib.suppress(OSError):
            while True:
                request = os.read(self._fd, 1 << 17)
                _, opcode, unique, *_ = HEADER.unpack_from(request)
                if opcode == INIT:
                    body = INIT_REPLY.pack(7, 31, 0, 0, 12, 9, 4096, 1, *[0] * 9)
                    os.write(self._fd, REPLY.pack(REPLY.size + len(body), 0, unique) + body)

    def close(self):
        """Aborts the connection: waiting processes get an error."""
        world.unmount(self.folder, world.MNT_FORCE)
        with contextlib.suppress(OSError):
            world.unmount(self.folder, world.MNT_DETACH)
        os.close(self._fd)
