#include "codec/kubernetes/pod_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "codec/documents/documents.h"
#include "codec/kubernetes/pod_writer.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const PodSource kApiObject{.file = "", .form = PodForm::kApiObject};

Value Document(const std::string& text) {
  return ParseDocuments(text).value().front();
}

std::string TextOfFile(const std::string& name) {
  std::ifstream file(std::string(JETTISON_ROOM_TESTDATA) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kWholePod = R"(
apiVersion: v1
kind: Pod
metadata:
  name: web.example
  namespace: shop
  uid: 1-2-3
  labels: {app: web}
  annotations: {note: "yes"}
spec:
  restartPolicy: OnFailure
  terminationGracePeriodSeconds: 5
  hostNetwork: true
  hostPID: true
  hostIPC: true
  securityContext:
    runAsUser: 7
    runAsGroup: 8
    runAsNonRoot: true
    supplementalGroups: [9, 10]
    fsGroup: 11
    seccompProfile: {type: RuntimeDefault}
  priority: -10
  priorityClassName: low
  overhead: {memory: 8Mi}
  resources: {requests: {memory: 1Gi}, limits: {memory: 2Gi}}
  tolerations:
  - {key: k, operator: Exists, value: v, effect: NoSchedule}
  volumes:
  - {name: scratch, emptyDir: {medium: Memory, sizeLimit: 64Mi}}
  - {name: host, hostPath: {path: /srv, type: Directory}}
  - {name: settings, configMap: {name: web, optional: true}}
  - {name: keys, secret: {secretName: web}}
  - {name: repo, gitRepo: {repository: r}}
  - {name: claim, persistentVolumeClaim: {claimName: c}}
  initContainers:
  - {name: proxy, image: proxy:1, restartPolicy: Always,
     securityContext: {allowPrivilegeEscalation: false}}
  containers:
  - name: web
    image: web:1
    imagePullPolicy: Never
    command: [/bin/web]
    args: [--port, "80"]
    workingDir: /srv
    env:
    - {name: MODE, value: fast}
    - {name: EMPTY}
    volumeMounts:
    - {name: scratch, mountPath: /tmp, subPath: a/b, readOnly: true}
    resources: {requests: {memory: 100Mi, cpu: 0.5}, limits: {memory: 200Mi}}
    securityContext:
      runAsUser: 0
      runAsGroup: 1
      runAsNonRoot: false
      privileged: true
      allowPrivilegeEscalation: true
      seccompProfile: {type: Unconfined}
      readOnlyRootFilesystem: true
      capabilities: {add: [NET_ADMIN], drop: [ALL]}
    lifecycle: {preStop: {exec: {command: [sleep, "1"]}}}
status: {qosClass: Burstable}
)";

Pod WholePod() {
  const auto amount = [](const char* text) { return Quantity::Parse(text).value(); };
  Container proxy;
  proxy.name = "proxy";
  proxy.image = "proxy:1";
  proxy.restart_policy = RestartPolicy::kAlways;
  proxy.security_context.allow_privilege_escalation = false;
  Container web;
  web.name = "web";
  web.image = "web:1";
  web.image_pull_policy = PullPolicy::kNever;
  web.security_context = {.run_as_user = 0,
                          .run_as_group = 1,
                          .run_as_non_root = false,
                          .privileged = true,
                          .read_only_root_filesystem = true,
                          .capabilities = {.add = {"NET_ADMIN"}, .drop = {"ALL"}},
                          .seccomp_profile = SeccompProfile::kUnconfined};
  web.command = {"/bin/web"};
  web.args = {"--port", "80"};
  web.working_dir = "/srv";
  web.env = {{.name = "MODE", .value = "fast"}, {.name = "EMPTY", .value = ""}};
  web.volume_mounts = {
      {.name = "scratch", .mount_path = "/tmp", .sub_path = "a/b", .read_only = true}};
  web.resources = {.requests = {{"cpu", amount("500m")}, {"memory", amount("100Mi")}},
                   .limits = {{"memory", amount("200Mi")}}};
  web.pre_stop = ExecAction{.command = {"sleep", "1"}};
  Pod pod;
  pod.name = "web.example";
  pod.namespace_ = "shop";
  pod.uid = "1-2-3";
  pod.labels = {{"app", "web"}};
  pod.annotations = {{"note", "yes"}};
  pod.init_containers = {proxy};
  pod.containers = {web};
  pod.volumes = {
      {.name = "scratch", .source = EmptyDirSource{"Memory", amount("64Mi")}},
      {.name = "host", .source = HostPathSource{"/srv", "Directory"}},
      {.name = "settings", .source = ConfigMapSource{"web", true}},
      {.name = "keys", .source = SecretSource{"web", false}},
      {.name = "repo", .source = GitRepoSource{}},
      {.name = "claim", .source = OtherVolumeSource{"persistentVolumeClaim"}},
  };
  pod.restart_policy = RestartPolicy::kOnFailure;
  pod.termination_grace_period_seconds = 5;
  pod.tolerations = {{.key = "k", .op = "Exists", .value = "v", .effect = "NoSchedule"}};
  pod.priority = -10;
  pod.priority_class_name = "low";
  pod.overhead = {{"memory", amount("8Mi")}};
  pod.resources = ResourceRequirements{.requests = {{"memory", amount("1Gi")}},
                                       .limits = {{"memory", amount("2Gi")}}};
  pod.host_network = true;
  pod.host_pid = true;
  pod.host_ipc = true;
  pod.security_context = {.run_as_user = 7,
                          .run_as_group = 8,
                          .run_as_non_root = true,
                          .supplemental_groups = {9, 10},
                          .fs_group = 11,
                          .seccomp_profile = SeccompProfile::kRuntimeDefault};
  pod.status_qos_class = QosClass::kBurstable;
  return pod;
}

TEST(ReadPod, ReadsEveryFieldOfTheModel) {
  const PodReading reading = ReadPod(Document(kWholePod), kApiObject);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(reading.pod, WholePod());
}

TEST(ReadPod, ReadsBackWhatWritePodWrote) {
  const PodReading reading = ReadPod(Document(WritePod(WholePod())), kApiObject);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(reading.pod, WholePod());
}

TEST(ReadPod, TakesNullForAbsence) {
  const PodReading reading =
      ReadPod(Document(R"({"metadata": {"name": "p", "namespace": null, "labels": null},
                   "spec": {"containers": null, "priority": null, "resources": null,
                            "volumes": [{"name": "v", "emptyDir": null}]}, "status": null})"),
              kApiObject);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_EQ(reading.pod.namespace_, "default");
  EXPECT_FALSE(reading.pod.resources);
  EXPECT_EQ(reading.pod.volumes[0].source, VolumeSource(OtherVolumeSource{}));
}

TEST(ReadPod, JudgesNoNameOfAnApiObject) {
  const PodReading reading =
      ReadPod(Document(R"({"metadata": {"name": "NO LABEL"}, "spec": {"containers": [
        {"name": "c", "livenessProbe": {"x": 1}, "env": [{"name": "E", "valueFrom": {"f": {}}}],
         "resources": {"requests": {"memory": "2"}, "limits": {"memory": "1"}}}]}})"),
              kApiObject);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(ForEachPod, ReadsTheListOfARealKubelet) {
  std::vector<std::string> names;
  ForEachPod(Document(TextOfFile("pods-1.32.json")), kApiObject, [&](const PodReading& reading) {
    EXPECT_THAT(reading.faults, IsEmpty());
    names.push_back(FullName(reading.pod));
  });
  EXPECT_THAT(names, ElementsAre("batch/cache", "default/be-idle", "default/burst-over",
                                 "default/burst-under", "default/guaranteed", "default/sleep-0",
                                 "default/sleep-1", "default/sleep-2"));
}

std::vector<std::string> NamesIn(const std::string& text) {
  std::vector<std::string> names;
  ForEachPod(Document(text), kApiObject, [&](const PodReading& reading) {
    names.push_back(reading.pod.name);
    for (const Fault& fault : reading.faults) names.push_back(fault.key);
  });
  return names;
}

TEST(ForEachPod, NamesTheFaultyItemAndReadsTheOthers) {
  EXPECT_THAT(NamesIn(R"({"kind": "List", "items": [7, {"metadata": {"name": "b"}},
                          {"metadata": {"name": 3}}, {"kind": "Service"}, null]})"),
              ElementsAre("", "items[0]", "b", "", "items[2].metadata.name", "", "items[3].kind",
                          "", "items[4]"));
  EXPECT_THAT(NamesIn(R"([{"spec": []}])"), ElementsAre("", "[0].spec"));
  EXPECT_THAT(NamesIn(R"({"kind": "List", "items": 3})"), ElementsAre("", "items"));
}

}  // namespace
}  // namespace jettison
