#include "cli/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Instant kNow = ParseInstant("2026-01-31T12:00:00Z").value();

ImportRequest Command(const std::string& source) {
  ImportRequest request;
  request.options.source = source;
  request.nodes = {"a"};
  request.from = "2026-01-30";
  return request;
}

// What is made of a command; what it tells on standard error is in `told`.
ImportRequest Read(const ImportRequest& command, int status, std::string& told) {
  CommandFaults faults;
  testing::internal::CaptureStderr();
  ImportRequest request = ReadImportRequest(command, kNow, faults);
  told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(faults.status(), status) << told;
  return request;
}

TEST(ImportRequest, EveryFaultIsNamedAtOnce) {
  ImportRequest command = Command("http://user:secret@example.org/x?tenant=secret");
  command.from = "soon";
  command.priority_classes = {"high"};
  command.instances = {"a="};
  command.config_files = {"/none/kubelet.yaml"};
  std::string told;
  (void)Read(command, kExitInvalidInput, told);
  EXPECT_THAT(told,
              AllOf(HasSubstr("must not contain a password"), HasSubstr("must not contain a query"),
                    HasSubstr("--from: soon"), HasSubstr("--priority-class: high"),
                    HasSubstr("--instance: a="), HasSubstr("/none/kubelet.yaml")));
  EXPECT_THAT(told, testing::Not(HasSubstr("secret")));
}

TEST(ImportRequest, AMisspeltSettingOfTheConfigurationIsTold) {
  const kernel::TemporaryFolder folder;
  ImportRequest command = Command("https://example.org");
  command.config_files = {folder.path() + "/kubelet.yaml"};
  std::ofstream(command.config_files.front()) << "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                                 "kind: KubeletConfiguration\n"
                                                 "evictionHrad: {memory.available: 1Gi}\n";
  std::string told;
  (void)Read(command, 0, told);
  EXPECT_THAT(told, testing::StartsWith("jettison: warning: " + command.config_files.front() +
                                        ": evictionHrad: "));
}

TEST(ImportRequest, CredentialsComeFromFilesAndGoOverTlsOrToThisMachine) {
  const kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/token";
  std::ofstream(file) << " word\n";
  ImportRequest command = Command("http://127.0.0.1:9090");
  command.token_file = file;
  std::string told;
  EXPECT_EQ(Read(command, 0, told).target.bearer_token, "word");
  command.options.source = "http://10.0.0.1:9090";
  (void)Read(command, kExitInvalidInput, told);
  EXPECT_THAT(told, HasSubstr("only over https"));
  command.token_file.clear();
  command.basic_auth_file = file;
  (void)Read(command, kExitInvalidInput, told);
  EXPECT_THAT(told, HasSubstr("user:password"));
}

TEST(RecordingPath, IsAFileOrInAFolderAndNeverElsewhere) {
  EXPECT_EQ(RecordingPath("x.jtr", "a", false), "x.jtr");
  EXPECT_EQ(RecordingPath("x", "a", true), "x/a.jtr");
  EXPECT_EQ(RecordingPath("x/", "a", false), "x/a.jtr");
  EXPECT_EQ(RecordingPath("x", "../b/c", true), "x/..%2Fb%2Fc.jtr");
}

}  // namespace
}  // namespace jettison
