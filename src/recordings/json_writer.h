#pragma once

#include "json/json_writer.h"  // where it is now
