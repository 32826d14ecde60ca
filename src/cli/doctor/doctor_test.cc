#include "cli/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What a command line says on standard error.
std::string SaidTo(const std::string& arguments, int& status) {
  CLI::App app;
  AddDoctor(app, status);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  app.parse(arguments);
  (void)testing::internal::GetCapturedStdout();
  return testing::internal::GetCapturedStderr();
}

std::string WithConfig(const kernel::TemporaryFolder& folder, const std::string& more) {
  const std::string path = folder.path() + "/kubelet.yaml";
  EXPECT_TRUE(kernel::WriteFile(path,
                                "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                "kind: KubeletConfiguration\n" +
                                    more));
  return "doctor --config " + path + " --config-dir " + folder.path() + "/conf.d";
}

TEST(Doctor, TellsWhatMayHaveBeenMeantDifferentlyBeforeWhatIsFaulty) {
  const kernel::TemporaryFolder folder;
  int status = 0;
  const std::string said = SaidTo(
      WithConfig(folder, "evictionHrad: {memory.available: 1Gi}\nevictionSoft: 5\n"), status);
  EXPECT_EQ(status, 2);
  EXPECT_THAT(
      said,
      AllOf(
          HasSubstr("jettison: warning: " + folder.path() + "/conf.d: this folder does not exist"),
          HasSubstr("jettison: warning: " + folder.path() + "/kubelet.yaml: evictionHrad: "),
          HasSubstr("/kubelet.yaml: evictionSoft: ")));
}

TEST(LiveDoctorCommand, TellsWhatMayHaveBeenMeantDifferentlyAndChecksTheHost) {
  const kernel::TemporaryFolder folder;
  int status = -1;
  const std::string said =
      SaidTo(WithConfig(folder, "evictionHrad: {memory.available: 1Gi}\n"), status);
  EXPECT_THAT(status, testing::AnyOf(0, 1));
  EXPECT_THAT(said, AllOf(HasSubstr("/conf.d: this folder does not exist"),
                          HasSubstr("/kubelet.yaml: evictionHrad: ")));
}

}  // namespace
}  // namespace jettison
