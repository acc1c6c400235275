package observed

// ownerRecord is what a node has beyond the others that is referred to, or refers to
// more than one: about one in eight. It stands in the node's page.
type ownerRecord struct {
	firstDep edgeID // who refers to it, newest first
	fan      edgeID // the fan-out's cursor
	refs     int32  // references from others
	blocks   int32  // those that block
	more     edgeID // its second reference, in order
}

// ownerRecordOf returns a copy of a node's hub, empty where it has none.
func (g *Graph) ownerRecordOf(id NodeID) ownerRecord {
	if x := g.at(id); x.record != 0 {
		return g.page(id).records[x.record-1]
	}
	return ownerRecord{}
}

// makeOwnerRecord returns a node's hub, and makes one where there is none. It is valid
// until the next is made.
func (g *Graph) makeOwnerRecord(id NodeID) *ownerRecord {
	x, p := g.at(id), g.page(id)
	if x.record == 0 {
		if p.freeRecords != 0 {
			x.record = p.freeRecords
			p.freeRecords = uint16(p.records[x.record-1].firstDep)
			p.records[x.record-1] = ownerRecord{}
		} else {
			if n := len(p.records); n == cap(p.records) { // one node in eight has one: twice the room would be too much
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

// dropOwnerRecord gives an empty hub back.
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
