package policy

// Scratch is the memory of a decision: the lists of references that Decide makes. The next
// decision with it uses them again. The zero value is ready. It is not safe for concurrent
// use.
type Scratch struct {
	leaving  verdict // of the owners that leave the object
	unset    classes
	policies byPolicy
	waiting  verdict // of the waiting owners, or of the ring
	solid    verdict // of the solid owners beside one of them
}

// verdict returns the verdict of the waiting owners, empty.
func (s *Scratch) verdict() *verdict {
	s.waiting.clear()
	return &s.waiting
}

// verdictOfSolid returns the verdict of the solid owners, empty.
func (s *Scratch) verdictOfSolid() *verdict {
	s.solid.clear()
	return &s.solid
}

// maxScratch bounds the references that a list of a Scratch keeps memory for. A list of one more
// than the default limit of the references may have grown to this capacity.
const maxScratch = 2048

// empty empties the lists, and gives the memory of long ones back.
func empty(lists ...*[]int) {
	for _, l := range lists {
		if *l = (*l)[:0]; cap(*l) > maxScratch {
			*l = nil
		}
	}
}
