#pragma once

#include <cstddef>
#include <string>

namespace jettison {

// Says what is wrong with lines of an input. Lines one after the other with the same fault are said
// as one, with their number; beyond kMostFaults (core/model/fault.h) faults are only counted.
class LineFaults {
 public:
  // `name` stands in front of the line's number.
  explicit LineFaults(std::string name) : name_(std::move(name)) {}

  void Add(std::size_t line, const std::string& fault);
  // Says what has not been said yet. Whether there was any fault.
  bool Close();

 private:
  void Say();

  std::string name_;
  std::string fault_;
  std::size_t first_ = 0;  // line with this fault
  std::size_t last_ = 0;
  std::size_t times_ = 0;  // 0: there is no fault to be said
  std::size_t said_ = 0;
  std::size_t unsaid_ = 0;
};

}  // namespace jettison
