// What a manifest must satisfy, and what is filled into it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_reader.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PodReading Read(const std::string& yaml) {
  return ReadPod(ParseDocuments(yaml).value().front(), {.file = "web.yaml"});
}

// A pod with these lines in its spec, and in its only container.
std::string Manifest(const std::string& spec, const std::string& container = "") {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec:\n  {}\n"
      "  containers:\n  - name: web\n    {}\n",
      spec, container);
}

std::vector<std::string> KeysOf(const PodReading& reading) {
  std::vector<std::string> keys;
  for (const Fault& fault : reading.faults) keys.push_back(fault.key);
  return keys;
}

TEST(Manifest, GetsTheDefaultsOfTheApiServer) {
  const PodReading reading = Read(Manifest("volumes: [{name: v}]",
                                           "resources: {limits: {memory: 1Gi, cpu: 1}, requests: "
                                           "{cpu: 500m}}"));
  ASSERT_THAT(reading.faults, IsEmpty());
  const Pod& pod = reading.pod;
  EXPECT_EQ(pod.namespace_, "default");
  EXPECT_EQ(pod.termination_grace_period_seconds, 30);
  EXPECT_EQ(pod.restart_policy, RestartPolicy::kAlways);
  EXPECT_FALSE(pod.priority);
  EXPECT_EQ(pod.volumes[0].source, VolumeSource(EmptyDirSource{}));
  const ResourceList& requests = pod.containers[0].resources.requests;
  EXPECT_EQ(requests.find("memory")->second.ToString(), "1Gi");
  EXPECT_EQ(requests.find("cpu")->second.ToString(), "500m") << "what is set stays";
}

TEST(Manifest, GetsThePullPolicyOfItsImagesTag) {
  const std::vector<std::pair<std::string, PullPolicy>> rows = {
      {"a", PullPolicy::kAlways},
      {"a:latest", PullPolicy::kAlways},
      {"r.io:5000/a", PullPolicy::kAlways},
      {"r.io:5000/a:1", PullPolicy::kIfNotPresent},
      {"a:1", PullPolicy::kIfNotPresent},
      {"a@sha256:0", PullPolicy::kIfNotPresent},
      {"a:latest@sha256:0", PullPolicy::kAlways},
  };
  for (const auto& [image, policy] : rows) {
    const std::string container = "image: '" + image + "'";
    EXPECT_EQ(Read(Manifest("", container)).pod.containers[0].image_pull_policy, policy) << image;
    EXPECT_EQ(Read(Manifest("", container + "\n    imagePullPolicy: Never"))
                  .pod.containers[0]
                  .image_pull_policy,
              PullPolicy::kNever)
        << "what is set stays";
  }
  EXPECT_FALSE(Read(Manifest("")).pod.containers[0].image_pull_policy) << "there is no image";
}

TEST(Manifest, GetsPodLevelRequestsFromContainersThenFromItsLimits) {
  const PodReading reading =
      Read(Manifest("resources: {limits: {memory: 4Gi, cpu: 2, hugepages-2Mi: 4Mi}}",
                    "resources: {requests: {memory: 1Gi, hugepages-2Mi: 2Mi}}"));
  ASSERT_THAT(reading.faults, IsEmpty());
  const ResourceList& requests = reading.pod.resources->requests;
  EXPECT_EQ(requests.find("memory")->second.ToString(), "1Gi");
  EXPECT_EQ(requests.find("cpu")->second.ToString(), "2");
  EXPECT_EQ(requests.find("hugepages-2Mi")->second.ToString(), "4Mi");
}

TEST(Manifest, GetsThePriorityOfTheTwoSystemClasses) {
  EXPECT_EQ(Read(Manifest("priorityClassName: system-node-critical")).pod.priority, 2'000'001'000);
  EXPECT_EQ(Read(Manifest("priorityClassName: system-cluster-critical")).pod.priority,
            2'000'000'000);
  EXPECT_EQ(Read(Manifest("priorityClassName: system-node-critical\n  priority: 7")).pod.priority,
            7)
      << "what is set stays";
  const PodReading unknown = Read(Manifest("priorityClassName: gold"));
  EXPECT_THAT(unknown.faults, IsEmpty());
  EXPECT_THAT(unknown.warnings, ElementsAre(HasSubstr("spec.priorityClassName: only")));
}

struct ManifestRow {
  std::string spec;
  std::string container;
  std::string key;
  std::string message;
};

TEST(Manifest, SaysWhatIsWrongAndWhere) {
  const std::vector<ManifestRow> rows = {
      {"restartPolicy: Sometimes", "", "spec.restartPolicy", "Always, OnFailure or Never"},
      {"terminationGracePeriodSeconds: -1", "", "spec.terminationGracePeriodSeconds", "0 or more"},
      {"terminationGracePeriodSeconds: 1.5", "", "spec.terminationGracePeriodSeconds", "whole"},
      {"priority: 3000000000", "", "spec.priority", "whole number from -2147483648"},
      {"hostNetwork: \"true\"", "", "spec.hostNetwork", "true or false"},
      {"overhead: {memory: -1}", "", "spec.overhead[memory]", "negative"},
      {"resources: {requests: {ephemeral-storage: 1}}", "",
       "spec.resources.requests[ephemeral-storage]", "pod-level"},
      {"resources: {requests: {cpu: 2}, limits: {cpu: 1}}", "", "spec.resources.requests[cpu]",
       "not be more than the limit, 1"},
      {"tolerations: [{operator: In}]", "", "spec.tolerations[0].operator", "Exists, Equal"},
      {"tolerations: [{}]", "", "spec.tolerations[0].operator", "must be Exists"},
      {"tolerations: [{operator: Exists, effect: Never}]", "", "spec.tolerations[0].effect",
       "NoSchedule"},
      {"volumes: [{name: A}]", "", "spec.volumes[0].name", "lower-case"},
      {"volumes: [{name: a}, {name: a}]", "", "spec.volumes[1].name", "another volume"},
      {"volumes: [{name: a, emptyDir: {}, hostPath: {path: /}}]", "", "spec.volumes[0].hostPath",
       "one source"},
      {"volumes: [{name: a, emptyDir: {medium: Tape}}]", "", "spec.volumes[0].emptyDir.medium",
       "Memory"},
      {"volumes: [{name: a, emptyDir: {medium: HugePages-2Mi}}]", "",
       "spec.volumes[0].emptyDir.medium", "Memory"},
      {"volumes: [{name: a, nfs: {server: s, path: /}}]", "", "spec.volumes[0].nfs",
       "not supported here: use emptyDir"},
      {"volumes: [{name: a, gitRepo: {repository: r}}]", "", "spec.volumes[0].gitRepo",
       "not supported here"},
      {"volumes: [{name: a, emptyDir: {sizeLimit: 1Zi}}]", "", "spec.volumes[0].emptyDir.sizeLimit",
       "quantity"},
      {"volumes: [{name: a, hostPath: {path: etc}}]", "", "spec.volumes[0].hostPath.path",
       "absolute"},
      {"volumes: [{name: a, hostPath: {path: /srv/../etc}}]", "", "spec.volumes[0].hostPath.path",
       "'..'"},
      {"volumes: [{name: a, configMap: {name: ../x}}]", "", "spec.volumes[0].configMap.name",
       "lower-case"},
      {"volumes: [{name: a, secret: {}}]", "", "spec.volumes[0].secret.secretName", "required"},
      {"initContainers: [{name: web}]", "", "spec.containers[0].name", "another container"},
      {"initContainers: [{name: i, restartPolicy: Never}]", "",
       "spec.initContainers[0].restartPolicy", "sidecar"},
      {"initContainers: [null]", "", "spec.initContainers[0]", "found null"},
      {"", "restartPolicy: Always", "spec.containers[0].restartPolicy", "only an init container"},
      {"", "command: sleep", "spec.containers[0].command", "must be a list"},
      {"", "args: [1]", "spec.containers[0].args[0]", "write it in quotes"},
      {"", "args: [\"a\\0b\"]", "spec.containers[0].args[0]", "NUL"},
      {"", "env: [{value: x}]", "spec.containers[0].env[0].name", "required"},
      {"", "env: [{name: A=B}]", "spec.containers[0].env[0].name", "'='"},
      {"", "env: [{name: A, valueFrom: {fieldRef: {fieldPath: p}}}]",
       "spec.containers[0].env[0].valueFrom", "literal `value`"},
      {"", "envFrom: [{configMapRef: {name: x}}]", "spec.containers[0].envFrom", "`env`"},
      {"", "volumeMounts: [{name: v, mountPath: /v}]", "spec.containers[0].volumeMounts[0].name",
       "must be the name of a volume"},
      {"volumes: [{name: v}]", "volumeMounts: [{name: v, mountPath: v}]",
       "spec.containers[0].volumeMounts[0].mountPath", "absolute"},
      {"volumes: [{name: v}]", "volumeMounts: [{name: v, mountPath: /v, subPath: a/../..}]",
       "spec.containers[0].volumeMounts[0].subPath", "without '..'"},
      {"volumes: [{name: v}]", "volumeMounts: [{name: v, mountPath: /v}, {name: v, mountPath: /v}]",
       "spec.containers[0].volumeMounts[1].mountPath", "at a path of its own"},
      {"", "resources: {requests: {memory: lots}}", "spec.containers[0].resources.requests[memory]",
       "128Mi"},
      {"", "resources: {requests: {memory: [1]}}", "spec.containers[0].resources.requests[memory]",
       "128Mi, found a list"},
      {"", "resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}",
       "spec.containers[0].resources.requests[memory]", "not be more than the limit, 1Gi"},
      {"", "imagePullPolicy: Sometimes", "spec.containers[0].imagePullPolicy",
       "Always, IfNotPresent or Never"},
      {"", "securityContext: {runAsUser: -1}", "spec.containers[0].securityContext.runAsUser",
       "whole number from 0 to 2147483647"},
      {"", "securityContext: {privileged: 1}", "spec.containers[0].securityContext.privileged",
       "true or false"},
      {"", "securityContext: {capabilities: {drop: ALL}}",
       "spec.containers[0].securityContext.capabilities.drop", "must be a list"},
      {"", "securityContext: {capabilities: {add: [CAP_KILL]}}",
       "spec.containers[0].securityContext.capabilities.add[0]", "without CAP_"},
      {"securityContext: {runAsGroup: 2147483648}", "", "spec.securityContext.runAsGroup",
       "whole number"},
      {"securityContext: {supplementalGroups: [-1]}", "",
       "spec.securityContext.supplementalGroups[0]", "whole number"},
      {"securityContext: {seccompProfile: {type: Strict}}", "",
       "spec.securityContext.seccompProfile.type", "RuntimeDefault, Unconfined or Localhost"},
      {"", "securityContext: {allowPrivilegeEscalation: false, privileged: true}",
       "spec.containers[0].securityContext.allowPrivilegeEscalation", "where privileged is true"},
      {"",
       "securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}}",
       "spec.containers[0].securityContext.capabilities.add[0]", "without CAP_"},
      {"hostIPC: 1", "", "spec.hostIPC", "true or false"},
      {"", "resources: []", "spec.containers[0].resources", "must be a map, found a list"},
  };
  for (const ManifestRow& row : rows) {
    const PodReading reading = Read(Manifest(row.spec, row.container));
    ASSERT_THAT(KeysOf(reading), ElementsAre(row.key)) << row.spec << row.container;
    EXPECT_THAT(reading.faults[0].message, HasSubstr(row.message));
    EXPECT_EQ(reading.faults[0].file, "web.yaml");
  }
}

TEST(Manifest, SaysWhatIsMissing) {
  EXPECT_THAT(KeysOf(Read("{}")), ElementsAre("kind", "apiVersion", "metadata.name", "spec"));
  EXPECT_THAT(KeysOf(Read("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}")),
              ElementsAre("spec.containers"));
  EXPECT_THAT(KeysOf(Read("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
                          "spec: {containers: [{}]}")),
              ElementsAre("spec.containers[0].name"));
  EXPECT_THAT(KeysOf(Read("- a")), ElementsAre(""));
}

TEST(Manifest, RefusesNamesThatWouldBecomeOtherPaths) {
  const auto faults_of = [](const std::string& key, const std::string& value) {
    const std::string name = key == "name" ? "" : "name: a, ";
    return KeysOf(Read("apiVersion: v1\nkind: Pod\nmetadata: {" + name + key + ": \"" + value +
                       "\"}\nspec: {containers: [{name: c}]}"));
  };
  const std::string label(63, 'a');
  const std::string subdomain(253, 'a');
  const std::vector<std::pair<std::string, std::vector<std::string>>> accepted = {
      {"name", {"a", "a-1", "a.b-1.c", subdomain}},
      {"namespace", {"a", "a-1", label}},
      {"uid", {"6720A8a8_b3a9-64.3"}}};
  for (const auto& [key, values] : accepted) {
    for (const std::string& value : values) EXPECT_THAT(faults_of(key, value), IsEmpty()) << value;
  }
  const std::vector<std::pair<std::string, std::vector<std::string>>> refused = {
      {"name",
       {"", "../up", "a/b", "A", "-a", "a-", "a..b", ".a", "a.", "..", "a\\0", subdomain + "a"}},
      {"namespace", {"-a", "a-", "A", "a.b", "a/b", label + "a"}},
      {"uid", {"..", "../x", "a/b", "-a", std::string(129, 'a')}}};
  for (const auto& [key, values] : refused) {
    for (const std::string& value : values) {
      EXPECT_THAT(faults_of(key, value), ElementsAre("metadata." + key)) << value;
    }
  }
}

TEST(Manifest, ReportsEveryFaultAtOnceWithItsLine) {
  const PodReading reading = Read(
      "apiVersion: v2\nkind: Pod\nmetadata:\n  name: 7\nspec:\n  priority: high\n"
      "  containers:\n  - name: B\n    args: x\n");
  EXPECT_THAT(KeysOf(reading),
              ElementsAre("metadata.name", "spec.containers[0].args", "spec.priority", "apiVersion",
                          "spec.containers[0].name"));
  EXPECT_EQ(Describe(reading.faults[0]),
            "web.yaml: metadata.name: \"7\": must be a string: write it in quotes (line 4)");
}

TEST(Manifest, WarnsOfWhatHasNoEffectHere) {
  EXPECT_THAT(
      Read(Manifest("shareProcessNamespace: true")).warnings,
      ElementsAre("spec.shareProcessNamespace: not supported here, has no effect (line 5)"));
  EXPECT_THAT(Read(Manifest("securityContext: {fsGroup: 2, fsGroupChangePolicy: Always}")).warnings,
              ElementsAre(HasSubstr("spec.securityContext.fsGroupChangePolicy:")));
  EXPECT_THAT(Read(Manifest("", "securityContext: {runAsUser: 1, procMount: Default}")).warnings,
              ElementsAre(HasSubstr("spec.containers[0].securityContext.procMount:")));
  EXPECT_THAT(Read(Manifest("",
                            "securityContext: {seccompProfile: {type: Localhost, "
                            "localhostProfile: x.json}}"))
                  .warnings,
              ElementsAre(HasSubstr("seccompProfile.type: Localhost is not supported")));
  EXPECT_THAT(
      Read(Manifest("", "securityContext: {capabilities: {add: [NET_RAW], keep: [x]}}")).warnings,
      ElementsAre(HasSubstr("spec.containers[0].securityContext.capabilities.keep:")));
  EXPECT_THAT(Read(Manifest("", "livenessProbe: {exec: {command: [x]}}")).warnings,
              ElementsAre(HasSubstr("spec.containers[0].livenessProbe")));
  EXPECT_THAT(Read(Manifest("", "ports: [{containerPort: 80, hostPort: 80}]")).warnings,
              ElementsAre(HasSubstr("spec.containers[0].ports[0].hostPort")));
  EXPECT_THAT(Read(Manifest("", "lifecycle: {postStart: {exec: {command: [x]}}}")).warnings,
              ElementsAre(HasSubstr("lifecycle.postStart")));
}

TEST(Manifest, SaysWhatAMisspeltFieldWasProbablyMeantToBe) {
  EXPECT_THAT(Read(Manifest("contianers: []\n  volume: [a]")).warnings,
              ElementsAre("spec.volume: not supported here (did you mean \"volumes\"?), has no "
                          "effect (line 6)"));
  EXPECT_THAT(Read(Manifest("", "resouces: {requests: {memory: 1Gi}}")).warnings,
              ElementsAre(HasSubstr("spec.containers[0].resouces: not supported here (did you mean "
                                    "\"resources\"?)")));
  EXPECT_THAT(Read(Manifest("", "env: [{name: A, valu: b}]")).warnings,
              ElementsAre(HasSubstr("spec.containers[0].env[0].valu: not supported here (did you "
                                    "mean \"value\"?)")));
  EXPECT_THAT(Read("metadta: {a: b}\n" + Manifest("")).warnings,
              ElementsAre(HasSubstr("metadta: not supported here (did you mean \"metadata\"?)")));
}

TEST(Manifest, VariablesThatMultiplyEachOtherAreAFaultOfTheFirstThatIsTooLarge) {
  std::string env = "env: [{name: V0, value: xxxxxxxxxx}";
  for (int i = 1; i < 10; ++i) {
    env += ", {name: V" + std::to_string(i) + ", value: '";
    for (int n = 0; n < 10; ++n) env += "$(V" + std::to_string(i - 1) + ")";
    env += "'}";
  }
  const PodReading reading = Read(Manifest("", env + "]"));
  ASSERT_EQ(reading.faults.size(), 1U) << DescribeAll(reading.faults);
  EXPECT_EQ(reading.faults[0].key, "spec.containers[0].env[5].value");
  EXPECT_THAT(reading.faults[0].message, HasSubstr("the variable V5 would have"));
}

TEST(Manifest, NoFaultQuotesTheValueOfAVariable) {
  const PodReading reading = Read(Manifest("", "env: [{name: PIN, value: 123456}]"));
  ASSERT_EQ(reading.faults.size(), 1U);
  EXPECT_EQ(reading.faults[0].key, "spec.containers[0].env[0].value");
  EXPECT_EQ(reading.faults[0].value, "<redacted>");
  EXPECT_EQ(Describe(reading.faults[0]).find("123456"), std::string::npos);
}

}  // namespace
}  // namespace jettison
