#include "runtimes/cri/containers/systemd_slices.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison::cri {
namespace {

TEST(SystemdSlices, ManagerThatTakesNoConnectionIsWaitedForOnlySoLong) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/private";
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.size() + 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 16), 0);
  const auto now = std::chrono::steady_clock::now();
  const auto slices = SlicesOfSystemd("unix:path=" + path);
  const auto stopped = slices->Stop("kubepods-podu.slice", now + std::chrono::milliseconds(50));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stop kubepods-podu.slice: systemd does not answer");
  EXPECT_LT(std::chrono::steady_clock::now() - now, std::chrono::seconds(5));
}

}  // namespace
}  // namespace jettison::cri
