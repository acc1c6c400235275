package graph

// ownerRecord is the state of a node that is an owner, or that refers to more than one.
// About one node in eight has an owner record. It stands in the node's page.
type ownerRecord struct {
	firstDep edgeID // the first edge of its dependents, newest first
	fan      edgeID // the fan-out's cursor
	refs     int32  // references from others
	blocks   int32  // blocking references from others
	more     edgeID // its second reference, in order
}

// ownerRecordOf returns a copy of a node's owner record, an empty one for a node without.
func (g *Graph) ownerRecordOf(id NodeID) ownerRecord {
	if x := g.at(id); x.record != 0 {
		return g.page(id).records[x.record-1]
	}
	return ownerRecord{}
}

// makeOwnerRecord returns a node's owner record, and makes one if the node has none. It
// is valid until the next one is made.
func (g *Graph) makeOwnerRecord(id NodeID) *ownerRecord {
	x, p := g.at(id), g.page(id)
	if x.record == 0 {
		if p.freeRecords != 0 {
			x.record = p.freeRecords
			p.freeRecords = uint16(p.records[x.record-1].firstDep)
			p.records[x.record-1] = ownerRecord{}
		} else {
			if n := len(p.records); n == cap(p.records) { // one node in eight has one, so doubling would take too much
				room := n + 16
				if before := id >> pageBits; before > 0 && n == 0 { // as many as the page before
					room = max(room, g.pages[before-1].usedRecords)
				}
				p.records = append(make([]ownerRecord, 0, room), p.records...)
			}
			p.records = append(p.records, ownerRecord{})
			x.record = uint16(len(p.records))
		}
		p.usedRecords++
	}
	return &p.records[x.record-1]
}

// dropOwnerRecord frees an empty owner record.
func (g *Graph) dropOwnerRecord(id NodeID) {
	x, p := g.at(id), g.page(id)
	if x.record == 0 || p.records[x.record-1] != (ownerRecord{}) {
		return
	}
	p.records[x.record-1].firstDep = edgeID(p.freeRecords)
	p.freeRecords, x.record = x.record, 0
	if p.usedRecords--; p.usedRecords == 0 {
		p.records, p.freeRecords = nil, 0
	}
}
