#!/usr/bin/env python3
"""kubernetes_test.py BUILD_DIR: the objects for a cluster agree with the program, with each other and with the page."""
import re
import unittest

import objects
from objects import KUBERNETES, configuration_of, documents_in, drop_ins_of, own_settings, pod_spec, read_configuration

SHADOW = "resources: [../packaging/kubernetes/overlays/shadow]\n"


def example_with(text):
    """The page's first example that has a text in it, without its fences."""
    page = (objects.SOURCE / "docs/kubernetes.md").read_text()
    at = page.index(text)
    begin = page.index("\n", page.rindex("\n```", 0, at) + 1) + 1
    return page[begin:page.index("\n```\n", at) + 1]


class KubernetesObjects(unittest.TestCase):
    def test_every_file_can_be_read(self):
        files = [path for path in KUBERNETES.rglob("*.yaml") if "templates" not in path.parts]
        self.assertGreater(len(files), 15)
        for path in files:
            self.assertTrue(objects.documents(path.read_text()), path)

    def test_configurations_are_valid_and_differ_in_dry_run_alone(self):
        shadow, enforce = ((KUBERNETES / f"overlays/{name}/jettison.yaml").read_text() for name in ("shadow", "enforce"))
        readings = [read_configuration(text)["jettisonconfig"] for text in (shadow, enforce)]
        self.assertEqual([reading.pop("dryRun", False) for reading in readings], [True, False])
        self.assertEqual(*readings)

    def test_the_configuration_for_metrics_is_valid(self):
        text = (KUBERNETES / "overlays/shadow/jettison.yaml").read_text()
        before, remark, after = text.partition("  # With components/metrics:\n")
        text = before + remark + re.sub(r"  # ([a-z][A-Za-z]+: )", r"  \1", after)
        http = read_configuration(text)["jettisonconfig"]["http"]
        self.assertEqual(http["address"], "[::]:10350")  # over IPv4 and IPv6
        self.assertEqual(http["bearerTokenFile"], "/etc/jettison-http/token")

    def test_alerts_are_those_of_prometheus(self):
        self.assertEqual(documents_in("components/metrics/alerts.yaml")[0]["spec"],
                         documents_in("../prometheus/jettison-alerts.yaml")[0])

    def test_what_is_mounted_is_a_volume_at_the_hosts_own_path(self):
        spec = documents_in("base/daemonset.yaml")[0]["spec"]["template"]["spec"]
        mounts = {mount["name"]: mount["mountPath"] for mount in spec["containers"][0]["volumeMounts"]}
        self.assertEqual({volume["name"] for volume in spec["volumes"]}, set(mounts))
        for volume in spec["volumes"]:
            if "hostPath" in volume:  # else figures would name folders that are not there
                self.assertEqual(volume["hostPath"]["path"], mounts[volume["name"]])

    def test_the_quota_admits_the_class_of_the_agents(self):
        """Otherwise a cluster that limits who may use the class admits no agent."""
        spec = documents_in("base/resource-quota.yaml")[0]["spec"]
        own = documents_in("base/daemonset.yaml")[0]["spec"]["template"]["spec"]["priorityClassName"]
        self.assertEqual(spec["scopeSelector"]["matchExpressions"],
                         [{"scopeName": "PriorityClass", "operator": "In", "values": [own]}])
        self.assertEqual(spec["hard"]["pods"], "1G")

    def test_kustomize_is_told_that_a_binding_names_its_policy(self):
        """A kubectl before 1.32 does not know it. A binding that names no policy enforces nothing, and nobody says so."""
        self.assertEqual(documents_in("base/kustomization.yaml")[0]["configurations"], ["name-references.yaml"])
        reference = documents_in("base/name-references.yaml")[0]["nameReference"][0]
        self.assertEqual(reference["group"], "admissionregistration.k8s.io")
        self.assertEqual(reference["kind"], "ValidatingAdmissionPolicy")
        field = reference["fieldSpecs"][0]
        self.assertEqual((field["kind"], field["path"]), ("ValidatingAdmissionPolicyBinding", "spec/policyName"))

    def test_removal_ends_and_names_each_daemon_set_of_the_page(self):
        """The agent of a node that is unreachable never ends."""
        removal = example_with("sudo rm -rf /var/lib/jettison")
        deletions = [line for line in removal.splitlines() if "kubectl" in line]
        self.assertEqual(len(deletions), 2)
        for line in deletions:
            self.assertRegex(line, " delete .* --timeout=2m")
        partial = re.search(r"path: /metadata/name, value: ([a-z-]+)\}", example_with("  options: {allowNameChange: true}"))
        self.assertIn(f" delete daemonset jettison {partial[1]} ", removal)


class Kustomized(objects.Kustomization):
    def test_each_overlay_is_whole(self):
        policies = [f"{kind} jettison-{what}" for what in ("pods", "nodes", "evictions")
                    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")]
        names = {"Namespace jettison-system", "ResourceQuota jettison", "ServiceAccount jettison", "ClusterRole jettison",
                 "ClusterRoleBinding jettison", "ConfigMap jettison", "ConfigMap jettison-drop-ins", "DaemonSet jettison"}
        for overlay in ("shadow", "enforce"):
            made = self.kustomized(KUBERNETES / "overlays" / overlay)
            self.assertEqual(set(made), names | set(policies))
            self.assertEqual(drop_ins_of(made), {})
            self.assertEqual(own_settings(made).get("dryRun", False), overlay == "shadow")

    def test_components_add_what_they_say(self):
        made = self.kustomized_text(SHADOW + "components: [../packaging/kubernetes/components/metrics, "
                                    "../packaging/kubernetes/components/configz, ../packaging/kubernetes/components/images]\n" +
                                    example_with("target: {group: monitoring.coreos.com}"))
        for name in ("PodMonitor jettison", "PrometheusRule jettison"):  # all that the Prometheus of the page looks for
            self.assertEqual(made[name]["metadata"]["labels"]["release"], "monitoring")
        rules = made["ClusterRole jettison-configz"]["rules"]
        self.assertEqual(rules, [{"apiGroups": [""], "resources": ["nodes/configz"], "verbs": ["get"]}])
        spec = pod_spec(made)
        agent, volumes = spec["containers"][0], spec["volumes"]
        self.assertIn("jettison-http", [volume.get("secret", {}).get("secretName") for volume in volumes])
        self.assertIn("/run/containerd", [mount["mountPath"] for mount in agent["volumeMounts"]])
        self.assertIn("--config-dir /etc/jettison/conf.d", " ".join(agent["args"]))
        self.assertIn({"mountPath": "/etc/jettison/conf.d", "name": "drop-ins"},
                      [{key: mount[key] for key in ("mountPath", "name")} for mount in agent["volumeMounts"]])
        self.assertIn("jettison-drop-ins", [volume.get("configMap", {}).get("name") for volume in volumes])
        self.assertTrue(own_settings(made)["kubernetes"]["collectImages"])

    def test_other_names_still_bind_the_admission_policies(self):
        made = self.kustomized_text(SHADOW + "namePrefix: my-\nnameSuffix: -x\n")
        for name in ("my-jettison-pods-x", "my-jettison-nodes-x", "my-jettison-evictions-x"):
            self.assertIn(f"ValidatingAdmissionPolicy {name}", made)
            self.assertEqual(made[f"ValidatingAdmissionPolicyBinding {name}"]["spec"]["policyName"], name)

    def test_for_an_existing_namespace_there_is_no_namespace_among_the_objects(self):
        """`kubectl delete -k` deletes a namespace that is, with all that is in it."""
        made = self.kustomized_text(example_with("\nnamespace: monitoring\n"))
        for name, each in made.items():
            self.assertFalse(name.startswith("Namespace "), name)
            self.assertNotIn("jettison-system", str(each))
        for name in ("DaemonSet jettison", "ServiceAccount jettison", "ConfigMap jettison"):
            self.assertEqual(made[name]["metadata"]["namespace"], "monitoring")
        self.assertEqual(made["ClusterRoleBinding jettison"]["subjects"][0]["namespace"], "monitoring")

    def test_a_drop_in_of_ones_own_changes_the_configuration(self):
        drop_in = example_with("kubernetes: {evictDaemonSets: true}")
        made = self.kustomized_text(example_with("  files: [own.yaml]"), {"own.yaml": drop_in})
        self.assertEqual(drop_ins_of(made)["own.yaml"], drop_in)
        settings = read_configuration(configuration_of(made), drop_ins_of(made))["jettisonconfig"]
        self.assertTrue(settings["kubernetes"]["evictDaemonSets"])
        self.assertTrue(settings["dryRun"], "the overlay's")


if __name__ == "__main__":
    objects.main()
