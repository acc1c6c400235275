package guards

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// WhyUsed says why the finalizer of a removed setting cannot be retired, or "". Handled says that a
// handler has it.
//
//test:by ownergraph.TestRetireErrors
func WhyUsed(name string, handled bool, sweeps []guard.Sweep) string {
	switch {
	case name == "":
		return "empty"
	case name == graph.FinalizerForeground || name == graph.FinalizerOrphan:
		return "it is a propagation's"
	case name == graph.FinalizerProtect || name == graph.FinalizerNew:
		return "no collector retires it: see graph.FinalizerHold"
	case handled:
		return "a handler has it"
	}
	for i := range sweeps {
		if sweeps[i].Finalizer == name {
			return fmt.Sprintf("Sweeps[%d] has it", i)
		}
	}
	return ""
}
