#!/usr/bin/env python3
"""chart_test.py BUILD_DIR: the Helm chart makes what the kustomizations make, and what its values say."""
import json
import unittest

import objects
from chart import released
from objects import KUBERNETES, own_settings, pod_spec


def mounts(released_objects):
    agent = pod_spec(released_objects)["containers"][0]
    return sorted((mount["name"], mount["mountPath"]) for mount in agent["volumeMounts"])


class Overlays(objects.Kustomization):
    def test_values_that_are_left_alone_make_the_objects_of_the_shadow_overlay(self):
        overlay, chart = self.kustomized(KUBERNETES / "overlays/shadow"), released()
        del overlay["Namespace jettison-system"]
        for made in (overlay, chart):  # the configuration is compared below, as the agent reads it
            self.assertEqual(objects.drop_ins_of(made), {})
            del made["ConfigMap jettison"], made["ConfigMap jettison-drop-ins"]
        annotations = chart["DaemonSet jettison"]["spec"]["template"]["metadata"]["annotations"]
        self.assertEqual(annotations.pop("checksum/configuration"), "checksum")
        self.maxDiff = None
        self.assertEqual(chart, overlay)

    def test_images_are_those_of_the_component(self):
        component = self.kustomized_text("resources: [../packaging/kubernetes/overlays/shadow]\n"
                                         "components: [../packaging/kubernetes/components/images]\n")
        chart = released("images: {enabled: true}")
        self.assertEqual(mounts(chart), mounts(component))
        self.assertIn({"path": "/run/containerd", "type": "Directory"},
                      [volume.get("hostPath") for volume in pod_spec(chart)["volumes"]])
        self.assertTrue(own_settings(chart)["kubernetes"]["collectImages"])
        self.assertFalse(own_settings(released())["kubernetes"]["collectImages"])


class Chart(unittest.TestCase):
    def test_means_what_its_values_say(self):
        plain = own_settings(released())
        shadow = objects.read_configuration((KUBERNETES / "overlays/shadow/jettison.yaml").read_text())["jettisonconfig"]
        self.assertTrue(plain["dryRun"])
        self.assertEqual(plain["kubernetes"], shadow["kubernetes"])
        changed = released("dryRun: false\nkubelet: {jobs: terminate}\nmetrics: {enabled: true}\n")
        settings = own_settings(changed)
        self.assertFalse(settings.get("dryRun", False))
        self.assertEqual(settings["kubernetes"]["jobs"], "terminate")
        self.assertEqual(settings["http"]["address"], "[::]:10350")  # over IPv4 and IPv6
        self.assertIn("PodMonitor jettison", changed)

    def test_without_a_file_of_the_kubelet_the_kubelet_is_asked(self):
        asks = released("kubelet: {configuration: ''}")
        self.assertIn("ClusterRole jettison-configz", asks)
        self.assertNotIn("kubeletConfiguration", objects.configuration_of(asks))
        objects.read_configuration(objects.configuration_of(asks))
        self.assertNotIn("ClusterRole jettison-configz", released())

    def test_takes_an_image_and_nodes_of_ones_own(self):
        spec = pod_spec(released("{image: {repository: r.example/j, tag: '2'}, nodeSelector: {jettison: enforce}}"))
        self.assertEqual(spec["containers"][0]["image"], "r.example/j:2")
        self.assertEqual(spec["nodeSelector"], {"jettison": "enforce", "kubernetes.io/os": "linux"})

    def test_mounts_the_folder_of_a_kubelets_file_that_lies_elsewhere(self):
        elsewhere = released("kubelet: {configuration: /etc/kubernetes/kubelet/config.json}")
        self.assertEqual(own_settings(elsewhere)["kubernetes"]["kubeletConfiguration"],
                         "/etc/kubernetes/kubelet/config.json")
        folder, name = "/etc/kubernetes/kubelet", "kubelet-configuration"
        self.assertIn({"name": name, "hostPath": {"path": folder, "type": "Directory"}}, pod_spec(elsewhere)["volumes"])
        self.assertIn({"name": name, "mountPath": folder, "readOnly": True},
                      pod_spec(elsewhere)["containers"][0]["volumeMounts"])
        for values in ("{}", "kubelet: {configuration: ''}", "kubelet: {configuration: /var/lib/kubelet/a/config.yaml}"):
            self.assertEqual(len(mounts(released(values))), len(mounts(elsewhere)) - 1, values)

    def test_puts_further_settings_and_thresholds_into_drop_ins(self):
        made = released("configuration: {logLevel: debug, kubernetes: {kubeletDirectory: /data/kubelet}}\n"
                        "kubeletConfiguration: {evictionHard: {memory.available: 1Gi}, evictionMaxPodGracePeriod: 30}\n")
        reading = objects.read_configuration(objects.configuration_of(made), objects.drop_ins_of(made))
        settings = reading["jettisonconfig"]
        self.assertEqual((settings["logLevel"], settings["kubernetes"]["kubeletDirectory"]), ("debug", "/data/kubelet"))
        self.assertTrue(settings["dryRun"], "of jettison.yaml")
        self.assertEqual(reading["maxPodGracePeriodSeconds"], 30)
        self.assertEqual(reading["thresholds"][0]["quantity"], "1Gi")

    def test_takes_zero_for_zero_and_null_for_the_default(self):
        unset = own_settings(released())["kubernetes"]
        for none in ("0", "'0'", "0s"):
            settings = own_settings(released(f"softEvictions: {{coolDown: {none}, perHour: 1}}"))["kubernetes"]
            self.assertEqual((settings["softEvictionCoolDown"], settings["softEvictionsPerHour"]), ("0s", 1), none)
        self.assertEqual(own_settings(released("softEvictions: {coolDown: null, perHour: null}"))["kubernetes"], unset)
        # The agent has no such limit, and does not take it for the default.
        self.assertIn("softEvictionsPerHour: 0\n", objects.configuration_of(released("softEvictions: {perHour: 0}")))

    def test_labels_what_a_prometheus_looks_for_and_names_its_namespace_in_alerts(self):
        made = released("metrics: {enabled: true, labels: {release: monitoring}}")
        for name in ("PodMonitor jettison", "PrometheusRule jettison"):
            self.assertEqual(made[name]["metadata"]["labels"]["release"], "monitoring")
        plain = released("metrics: {enabled: true}", "x")
        self.assertNotIn("labels", plain["PodMonitor jettison"]["metadata"])
        alerts = (KUBERNETES / "components/metrics/alerts.yaml").read_text().replace("jettison-system", "x")
        self.assertEqual(plain["PrometheusRule jettison"], objects.documents(alerts)[0])

    def test_has_a_schema_that_names_each_of_its_values(self):
        schema = json.loads((KUBERNETES / "chart/values.schema.json").read_text())
        values = objects.documents((KUBERNETES / "chart/values.yaml").read_text())[0]

        def check(rules, its):  # where an object is not closed, a mistyped key would be taken
            self.assertIs(rules["additionalProperties"], False)
            self.assertLessEqual(set(its), set(rules["properties"]))
        check(schema, values)
        for key, value in values.items():
            if isinstance(value, dict) and value:
                check(schema["properties"][key], value)


if __name__ == "__main__":
    objects.main()
