// For processes that do the work of another once more: only one of them writes.
#pragma once

namespace hinge {

// Every OutputFile made from now on writes nothing, in the whole process.
void discard_output_files();

}  // namespace hinge
