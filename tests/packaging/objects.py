"""Objects of a cluster as the files of packaging/kubernetes and kustomize have them, and what the agent reads of them."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
KUBERNETES = SOURCE / "packaging" / "kubernetes"
SKIPPED = 77

try:
    import yaml
except ImportError:
    print("Skipped\nthere is no PyYAML; Debian: apt-get install python3-yaml")
    sys.exit(SKIPPED)


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # which is in C, and ten times as fast


def documents(text):
    return [each for each in yaml.load_all(text, LOADER) if each is not None]


def documents_in(path):
    return documents((KUBERNETES / path).read_text())


def by_name(objects):
    """Objects by "kind name", of which none may be there twice."""
    named = {f"{each['kind']} {each['metadata']['name']}": each for each in objects}
    assert len(named) == len(objects), "an object is there twice"
    return named


def pod_spec(objects):
    return objects["DaemonSet jettison"]["spec"]["template"]["spec"]


def configuration_of(objects):
    return objects["ConfigMap jettison"]["data"]["jettison.yaml"]


def drop_ins_of(objects):
    return objects["ConfigMap jettison-drop-ins"].get("data") or {}


def read_configuration(text, drop_ins=None):
    """What the agent reads of a configuration with drop-ins, which must have no fault. The kubelet has its defaults."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "conf.d").mkdir()
        kubelet = folder / "kubelet.yaml"
        kubelet.write_text("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n")
        named = re.search(r"kubeletConfiguration: \"?(/[^\"\n]+)\"?\n", text)
        here = text.replace(named[1], str(kubelet)) if named else text
        (folder / "jettison.yaml").write_text(here)
        for file, content in (drop_ins or {}).items():
            (folder / "conf.d" / file).write_text(content)
        said = subprocess.run([program(), "check-config", folder / "jettison.yaml", "--config-dir", folder / "conf.d",
                               "--output", "json"], capture_output=True, text=True, check=False)
        reading = json.loads(said.stdout)
    # Without its file, the kubelet is asked, which nobody can here.
    faults = [fault for fault in reading["faults"] if named or "configz of node" not in fault["message"]]
    assert not faults, faults
    own = reading.get("jettisonconfig")
    if own and named:
        own["kubernetes"]["kubeletConfiguration"] = named[1]
    return reading


def own_settings(objects):
    """The agent's own settings out of the ConfigMaps of objects."""
    return read_configuration(configuration_of(objects), drop_ins_of(objects))["jettisonconfig"]


@functools.cache
def program():
    """The program of the build that the command line names."""
    return pathlib.Path(sys.argv[1]).resolve() / "jettison"


@functools.cache
def why_no_kustomize():
    """Those before 1.21 have a kustomize that knows no components."""
    if not shutil.which("kubectl"):
        return "no kubectl"
    said = subprocess.run(["kubectl", "version", "--client"], capture_output=True, text=True, check=False).stdout
    return "" if re.search(r"Kustomize Version: v([4-9]|[1-9][0-9])", said) else f"this kubectl is too old: {said}"


class Kustomization(unittest.TestCase):
    def setUp(self):
        if why_no_kustomize():
            self.skipTest(why_no_kustomize())

    def kustomized(self, folder):
        """The objects; a name that kustomize made from the content of a ConfigMap is without that again."""
        said = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        return by_name(documents(re.sub(r"name: (jettison(-drop-ins)?)-[a-z0-9]{10}\n", r"name: \1\n", said.stdout)))

    def kustomized_text(self, text, files=None):
        """The same of a text in a folder of its own beside other files. "../packaging" in it is the project's."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            packaging = os.path.relpath(SOURCE / "packaging", folder.resolve())  # kustomize takes relative paths alone
            (folder / "kustomization.yaml").write_text(text.replace("../packaging", packaging))
            for file, content in (files or {}).items():
                (folder / file).write_text(content)
            return self.kustomized(folder)


def main():
    """Runs the tests of the calling file; 77 where all were skipped."""
    run = unittest.main(argv=sys.argv[:1], exit=False).result
    for test, why in run.skipped:
        print(f"skipped: {test.id()}: {why}")
    sys.exit(1 if not run.wasSuccessful() else SKIPPED if len(run.skipped) == run.testsRun else 0)
