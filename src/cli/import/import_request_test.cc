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
  ImportCommand command = Command("http://user:secret@example.org");
  command.nodes.clear();
  command.from = "soon";
  command.step = "1ms";
  command.priority_classes = {"high"};
  command.instances = {"a="};
  command.config_files = {"/none/kubelet.yaml"};
  const auto request = ReadImportRequest(command, kNow);
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().message,
              AllOf(HasSubstr("must not contain a password"), HasSubstr("--node: is required"),
                    HasSubstr("--from: soon"), HasSubstr("--step: 1ms"),
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

TEST(ImportRequest, WhatWouldBeIgnoredIsAFault) {
  ImportCommand command = Command("http://127.0.0.1:9090/x?tenant=secret");
  command.ca_file = "ca.pem";
  command.key_file = "key.pem";
  command.token_file = "/none/token";
  command.basic_auth_file = "/none/basic";
  const std::string message = ReadImportRequest(command, kNow).error().message;
  EXPECT_THAT(message, AllOf(HasSubstr("must not contain a query"),
                             HasSubstr("--token-file and --basic-auth-file exclude each other"),
                             HasSubstr("--key-file: requires --cert-file"),
                             HasSubstr("--ca-file: ca.pem: is only for https"),
                             HasSubstr("--key-file: key.pem: is only for https"),
                             HasSubstr("--token-file /none/token: No such file")));
  EXPECT_THAT(message, testing::Not(HasSubstr("secret")));
  command = Command("https://127.0.0.1:9090");
  command.cert_file = "cert.pem";
  EXPECT_THAT(ReadImportRequest(command, kNow).error().message,
              HasSubstr("--cert-file: requires --key-file"));
  command.key_file = "key.pem";
  command.ca_file = "ca.pem";
  EXPECT_TRUE(ReadImportRequest(command, kNow));
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

TEST(ImportRequest, WhatADumpHasNoUseForIsRefusedAndSoIsAFileThatIsNotThere) {
  ImportCommand command = Command("dump.txt");
  EXPECT_TRUE(ReadImportRequest(command, kNow));
  command.token_file = "/none/token";
  command.ca_file = "ca.pem";
  EXPECT_EQ(ReadImportRequest(command, kNow).error().message,
            "--token-file /none/token: No such file or directory\n"
            "jettison: --ca-file: ca.pem: is only for a URL, but SOURCE is a file");
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
