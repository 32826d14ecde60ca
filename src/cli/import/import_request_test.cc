#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/import/import.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Instant kNow = ParseInstant("2026-01-31T12:00:00Z").value();

ImportCommand Command(const std::string& source) {
  return {.source = source, .nodes = {"a"}, .from = "2026-01-30"};
}

TEST(ImportRequest, EveryFaultIsNamedAtOnce) {
  ImportCommand command = Command("http://user:secret@example.org/x?tenant=secret");
  command.nodes.clear();
  command.from = "soon";
  command.priority_classes = {"high"};
  command.instances = {"a="};
  command.config_files = {"/none/kubelet.yaml"};
  const auto request = ReadImportRequest(command, kNow);
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().message,
              AllOf(HasSubstr("must not contain a password"), HasSubstr("must not contain a query"),
                    HasSubstr("--node: is required"), HasSubstr("--from: soon"),
                    HasSubstr("--priority-class: high"), HasSubstr("--instance: a="),
                    HasSubstr("/none/kubelet.yaml")));
  EXPECT_THAT(request.error().message, testing::Not(HasSubstr("secret")));
}

TEST(ImportRequest, AMisspeltSettingOfTheConfigurationIsTold) {
  const kernel::TemporaryFolder folder;
  ImportCommand command = Command("https://example.org");
  command.config_files = {folder.path() + "/kubelet.yaml"};
  std::ofstream(command.config_files.front()) << "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                                 "kind: KubeletConfiguration\n"
                                                 "evictionHrad: {memory.available: 1Gi}\n";
  testing::internal::CaptureStderr();
  const auto request = ReadImportRequest(command, kNow);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(request) << request.error().message;
  EXPECT_THAT(told, testing::StartsWith("jettison: warning: " + command.config_files.front() +
                                        ": evictionHrad: "));
}

TEST(ImportRequest, CredentialsComeFromFilesAndGoOverTlsOrToThisMachine) {
  const kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/token";
  std::ofstream(file) << " word\n";
  ImportCommand command = Command("http://127.0.0.1:9090");
  command.token_file = file;
  const auto request = ReadImportRequest(command, kNow);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->target.bearer_token, "word");
  command.source = "http://10.0.0.1:9090";
  EXPECT_THAT(ReadImportRequest(command, kNow).error().message, HasSubstr("only over https"));
  command.token_file.clear();
  command.basic_auth_file = file;
  EXPECT_THAT(ReadImportRequest(command, kNow).error().message, HasSubstr("user:password"));
}

TEST(PrometheusQueries, PodsAreAskedForInBatches) {
  NodeDirectory directory;
  for (int i = 0; i < 250; ++i) {
    directory.Learn({.name = "kube_pod_info",
                     .labels = {{"node", "a"},
                                {"namespace", "n"},
                                {"pod", std::to_string(i)},
                                {"uid", "u" + std::to_string(i)}}});
  }
  directory.Learn(
      {.name = "kube_node_info", .labels = {{"node", "a"}, {"internal_ip", "10.0.0.7"}}});
  const auto queries = NodeQueries("a", directory);
  EXPECT_EQ(queries.size(), 6U);
  EXPECT_THAT(queries[0], HasSubstr("10[.]0[.]0[.]7"));
}

}  // namespace
}  // namespace jettison
