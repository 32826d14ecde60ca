#include "model/fault.h"

namespace jettison {

std::string Describe(const Fault& fault) {
  std::string line;
  if (!fault.file.empty()) line += fault.file + ": ";
  if (!fault.key.empty()) line += fault.key + ": ";
  if (!fault.value.empty()) line += "\"" + fault.value + "\": ";
  return line + fault.message;
}

std::string DescribeAll(const Faults& faults) {
  std::string line;
  for (const Fault& fault : faults) {
    if (!line.empty()) line += "; ";
    line += Describe(fault);
  }
  return line;
}

}  // namespace jettison
