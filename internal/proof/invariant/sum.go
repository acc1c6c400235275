package invariant

import "github.com/ownergraph/ownergraph/graph"

// Sum is a checksum of an object, without its version.
func Sum(o *graph.Object) uint64 {
	h := textSum(keySum(0x9e3779b97f4a7c15, &o.Key), "")
	for i := range o.Owners {
		r := &o.Owners[i]
		h = keySum(h, &r.Key)
		if r.Block {
			h += 0x517cc1b727220a95
		}
		if r.Unresolved {
			h += 0x2545f4914f6cdd1d
		}
		h += uint64(r.OnDelete) * 0x9fb21c651e98df25
	}
	for _, f := range o.Finalizers {
		h = textSum(h, f)
	}
	if o.Deleting {
		h ^= 0x6a09e667f3bcc909
	}
	return h ^ h>>31
}

// SumLabels is a checksum of labels.
func SumLabels(set map[string]string) uint64 {
	h := uint64(0)
	for name, value := range set {
		h += textSum(textSum(0x9e3779b97f4a7c15, name), value)
	}
	return h
}

func keySum(h uint64, k *graph.Key) uint64 {
	return textSum(textSum(textSum(textSum(h, string(k.Kind)), k.Scope), k.Name), string(k.UID))
}

func textSum(h uint64, s string) uint64 {
	h = (h ^ uint64(len(s))) * 0xff51afd7ed558ccd
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h ^ h>>29
}
