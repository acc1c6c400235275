package explain

import "github.com/ownergraph/ownergraph/graph"

type jsonDeletion struct {
	Object  graph.Object `json:"object"`
	Cut     int          `json:"cut,omitempty"`
	Unseen  bool         `json:"unseen,omitempty"`
	Garbage Garbage      `json:"garbage"`
	Root    jsonRoot     `json:"root"`
	Proof   *jsonProof   `json:"proof,omitempty"`
}

type jsonRoot struct {
	Keys    []jsonKey `json:"keys,omitempty"`
	More    int       `json:"more,omitempty"`
	Nearest bool      `json:"nearest,omitempty"`
}

type jsonProof struct {
	Certain   bool          `json:"certain,omitempty"`
	Version   graph.Version `json:"version,omitempty"`
	Decision  jsonDecision  `json:"decision"`
	Owners    []jsonOwner   `json:"owners,omitempty"`
	OwnersCut int           `json:"ownersCut,omitempty"`
	Holder    jsonKey       `json:"holder,omitzero"`
}

func deletionOut(d *Deletion) *jsonDeletion {
	if d == nil {
		return nil
	}
	out := &jsonDeletion{Object: d.Object, Cut: d.Cut, Unseen: d.Unseen, Garbage: d.Garbage}
	out.Root = jsonRoot{keysOut(d.Root.Keys), d.Root.More, d.Root.Nearest}
	if p := d.Proof; p != nil {
		out.Proof = &jsonProof{p.Certain, p.Version, decisionOut(p.Decision), ownersOut(p.Owners), p.OwnersCut, jsonKey(p.Holder)}
	}
	return out
}

func deletionIn(j *jsonDeletion) (*Deletion, error) {
	if j == nil {
		return nil, nil
	}
	d := &Deletion{Object: j.Object, Cut: j.Cut, Unseen: j.Unseen, Garbage: j.Garbage}
	d.Root = Root{keysIn(j.Root.Keys), j.Root.More, j.Root.Nearest}
	if p := j.Proof; p != nil {
		decision, err := decisionIn(p.Decision)
		if err != nil {
			return nil, err
		}
		d.Proof = &Proof{p.Certain, p.Version, decision, ownersIn(p.Owners), p.OwnersCut, graph.Key(p.Holder)}
	}
	return d, nil
}

func keysOut(all []graph.Key) (out []jsonKey) {
	for _, k := range all {
		out = append(out, jsonKey(k))
	}
	return out
}

func keysIn(all []jsonKey) (out []graph.Key) {
	for _, k := range all {
		out = append(out, graph.Key(k))
	}
	return out
}

func ownersOut(all []Owner) (out []jsonOwner) {
	for _, o := range all {
		out = append(out, jsonOwner{
			jsonKey(o.Key), o.Unresolved, o.Block, o.Controller, o.OnDelete, o.Self, o.Class, o.Doubt, o.Evidence, o.At.UTC(), jsonKey(o.Elsewhere),
		})
	}
	return out
}

func ownersIn(all []jsonOwner) (out []Owner) {
	for _, o := range all {
		ref := graph.Owner{Key: graph.Key(o.Key), Unresolved: o.Unresolved, Block: o.Block, Controller: o.Controller, OnDelete: o.OnDelete}
		out = append(out, Owner{ref, o.Self, o.Class, o.Doubt, o.Evidence, o.At, graph.Key(o.Elsewhere)})
	}
	return out
}
