#!/usr/bin/env python3
"""installed_test.py BUILD_DIR: what is installed with the program: its image (scripts/image.sh, on a small program), its
plugin for kubectl (with a kubectl that repeats what it is asked), its unit of systemd with the drop-in that takes its
limits back, and what its package says."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import objects
from objects import SOURCE

PACKAGING = SOURCE / "packaging"


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def script(self, name, text):
        (self.folder / name).write_text("#!/bin/sh\n" + text)
        (self.folder / name).chmod(0o700)

    def run_shell(self, command, status=0, **environment):
        """What a command in the folder said on both streams."""
        said = subprocess.run(["/bin/sh", "-c", command], cwd=self.folder, env=os.environ | environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(said.returncode, status, f"{command}\n{said.stdout}")
        return said.stdout


class Image(InAFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "a build").mkdir()
        self.run_shell("cp /bin/true 'a build/jettison'")

    def make(self, arguments):
        """With the PATH of an ordinary user of Debian, which lacks the folders of ldconfig."""
        return self.run_shell(f"'{SOURCE}/scripts/image.sh' {arguments}", JETTISON_BUILD=f"{self.folder}/a build",
                              PATH="/usr/local/bin:/usr/bin:/bin")

    def test_is_the_same_bytes_each_time(self):
        self.make("one.tar")
        self.run_shell("touch -d 2001-01-01 'a build/jettison'")
        self.make("deeper/two.tar")
        self.run_shell("cmp one.tar deeper/two.tar")

    def test_holds_the_program_with_what_it_needs_and_is_named(self):
        self.assertIn("registry.example/jettison:7", self.make("image.tar registry.example/jettison:7"))
        self.run_shell("tar -xf image.tar && mkdir root")
        names = self.run_shell("cat manifest.json index.json")
        self.assertIn('"RepoTags":["registry.example/jettison:7"]', names)
        self.assertIn('"io.containerd.image.name":"registry.example/jettison:7"', names)
        self.run_shell("for blob in blobs/sha256/*; do echo \"$(basename $blob)  $blob\"; done | sha256sum --check")
        self.run_shell("for blob in blobs/sha256/*; do tar -xf $blob -C root 2>/dev/null || true; done")
        self.run_shell("cd root && ls usr/bin/jettison etc/passwd && "
                       "find . -name libc.so.6 | grep . && find . -name 'ld-linux*' | grep .")
        # Without the authorities of the system no hook with https:// reaches anybody.
        self.run_shell("cmp root/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt && "
                       "grep -q 'BEGIN CERTIFICATE' root/etc/ssl/certs/ca-certificates.crt")


class KubectlPlugin(InAFolder):
    def setUp(self):
        super().setUp()
        # One agent, on node-1.
        self.script("kubectl", "case \"$*\" in\n*get\\ pods*spec.nodeName=node-1,*) echo pod/jettison-abcde ;;\n"
                    "*get\\ pods*) ;;\n*) echo \"kubectl $*\" ;;\nesac\n")

    def run_plugin(self, arguments, status=0):
        return self.run_shell(f"sh '{PACKAGING}/kubernetes/kubectl-jettison' {arguments}", status,
                              KUBECTL=str(self.folder / "kubectl"))

    def test_asks_the_agent_of_the_node(self):
        for asked, expected in {
                "explain node-1": "explain",
                "explain node-1 shop/cart --output json": "explain shop/cart --output json",
                "rank node-1": "rank",
                "rank node-1 pid.available": "rank --signal pid.available",
                "rank node-1 --output json": "rank --output json",
                "status node-1": "status",
                "shadow node-1 --output json": "shadow --output json",
                "top node-1 --count 1": "top --count 1"}.items():
            self.assertEqual(self.run_plugin(asked), "kubectl --namespace jettison-system exec pod/jettison-abcde "
                             f"--container agent -- /usr/bin/jettison {expected}\n")

    def test_tells_doctor_to_read_what_the_agents_run_with(self):
        spec = objects.documents_in("base/daemonset.yaml")[0]["spec"]["template"]["spec"]
        arguments = spec["containers"][0]["args"]
        self.assertEqual(arguments[:2], ["run", "--config"])
        self.assertTrue(self.run_plugin("doctor node-1 --output json").endswith(
            " ".join(["jettison doctor", *arguments[1:], "--output json\n"])))

    def test_hands_context_and_namespace_on(self):
        self.assertIn("kubectl --context far --namespace guards exec",
                      self.run_plugin("--context far -n guards status node-1"))

    def test_says_what_is_wrong(self):
        for asked, status, said in (("status node-2", 1, "no agent runs on node-2"),
                                    ("dance node-1", 2, "no command dance"),
                                    ("explain", 2, ""),
                                    ("--frobnicate status node-1", 2, ""),
                                    ("--help", 0, "Examples:\n")):
            output = self.run_plugin(asked, status)
            self.assertIn(said, output)
            self.assertNotIn("kubectl --namespace jettison-system exec", output)


class Unit(InAFolder):
    def settings(self, file, begin):
        """The settings in a file, from the line that begins so on."""
        text = (PACKAGING / file).read_text()
        return set(re.findall(r"^([^#=\n]+)=", text[text.index("\n" + begin):], re.MULTILINE))

    def test_is_started_again_where_its_configuration_is_missing_for_a_moment(self):
        """systemd looks at it before each automatic restart, which is then the last one."""
        self.assertNotIn("\nConditionPathExists=", (PACKAGING / "jettison.service.in").read_text())

    def test_is_taken_back_as_a_whole_by_the_drop_in(self):
        limits = self.settings("jettison.service.in", "ProtectSystem=") - {"SystemCallErrorNumber", "WantedBy"}
        self.assertTrue(limits)
        self.assertEqual(self.settings("runs-pods.conf", "[Service]"), limits)

    def test_is_rated_no_more_exposed_than_its_capabilities_make_it(self):
        unit = re.sub("@JETTISON_[A-Z]+@", "/usr", (PACKAGING / "jettison.service.in").read_text())
        file = self.folder / "jettison.service"
        file.write_text(unit)
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", file],
                              capture_output=True, text=True, check=False)
        if said.returncode:
            self.skipTest(f"no systemd-analyze: {said.stderr}")
        self.assertLessEqual(float(re.search(r"exposure level .*: ([0-9.]+)", said.stdout)[1]), 3.3, said.stdout)


class Package(InAFolder):
    def said_when_installed(self, configuration):
        """Where there is no systemd. The package's helpers and the agent are stubs: nothing of this machine changes."""
        for helper in ("deb-systemd-helper", "deb-systemd-invoke", "systemctl", "rm"):
            self.script(helper, "")
        self.script("jettison", f"echo '{configuration}'\n")
        return self.run_shell(f"sh '{PACKAGING}/debian/postinst' configure", PATH=f"{self.folder}:{os.environ['PATH']}")

    def test_says_how_to_start_the_agent_where_there_is_no_systemd_and_whether_it_evicts(self):
        if os.path.exists("/run/systemd/system"):
            self.skipTest("there is systemd here")
        self.assertEqual(
            self.said_when_installed("dry run               yes: nothing is evicted or reclaimed"),
            "jettison is installed. There is no systemd here, so it was not started. Start it with:\n"
            "  jettison run --config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d\n"
            "Then it observes this host and evicts nothing yet.\n")
        self.assertIn("Then it evicts what the files in /etc/jettison let it evict.\n",
                      self.said_when_installed("dry run               no"))


if __name__ == "__main__":
    objects.main()
