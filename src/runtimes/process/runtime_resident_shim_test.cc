// The shim's program stays in memory, so that nobody waits for its disk.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "ports/file_descriptor.h"
#include "runtimes/process/runtime_fixture.h"

namespace jettison::process {

using namespace kernel;
namespace {

// A shim of its own, of which no page is mapped by anybody else.
class ProcessRuntimeResidentShim : public ProcessRuntimeTest {
 protected:
  void SetUp() override {
    bed_.shim = folder_.path() + "/shim";
    std::filesystem::copy_file(JETTISON_SHIM, bed_.shim);
    file_ = FileDescriptor(::open(bed_.shim.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::fsync(file_.get()), 0);
  }
  // As the kernel does when memory is short: pages that somebody has mapped stay.
  void DropPages() const { ASSERT_EQ(::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED), 0); }
  // How many pages of it are in memory.
  [[nodiscard]] std::size_t PagesInMemory() const {
    std::vector<unsigned char> resident(PagesOfFile());
    void* const pages = ::mmap(nullptr, bytes(), PROT_READ, MAP_SHARED, file_.get(), 0);
    EXPECT_EQ(::mincore(pages, bytes(), resident.data()), 0);
    (void)::munmap(pages, bytes());
    return static_cast<std::size_t>(
        std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; }));
  }
  [[nodiscard]] std::size_t bytes() const { return std::filesystem::file_size(bed_.shim); }
  [[nodiscard]] std::size_t PagesOfFile() const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (bytes() + page - 1) / page;
  }

  FileDescriptor file_;
};

TEST_F(ProcessRuntimeResidentShim, NoPageOfTheShimHasToBeReadAgainWhileTheRuntimeIsOpen) {
  DropPages();
  if (PagesInMemory() != 0) GTEST_SKIP() << "this file system keeps the pages of its files";
  bed_.Open();
  DropPages();
  EXPECT_EQ(PagesInMemory(), PagesOfFile());
}

}  // namespace
}  // namespace jettison::process
