package observed

// hub is what a node has beyond the others that is referred to, or refers to
// more than one: about one in eight. It stands in the node's page.
type hub struct {
	firstDep edgeID // who refers to it, newest first
	fan      edgeID // the fan-out's cursor
	refs     int32  // references from others
	blocks   int32  // those that block
	more     edgeID // its second reference, in order
}

// hubOf returns a copy of a node's hub, empty where it has none.
func (g *Graph) hubOf(id NodeID) hub {
	if x := g.at(id); x.hub != 0 {
		return g.page(id).hubs[x.hub-1]
	}
	return hub{}
}

// makeHub returns a node's hub, and makes one where there is none. It is valid
// until the next is made.
func (g *Graph) makeHub(id NodeID) *hub {
	x, p := g.at(id), g.page(id)
	if x.hub == 0 {
		if p.freeHubs != 0 {
			x.hub = p.freeHubs
			p.freeHubs = uint16(p.hubs[x.hub-1].firstDep)
			p.hubs[x.hub-1] = hub{}
		} else {
			if n := len(p.hubs); n == cap(p.hubs) { // one node in eight has one: twice the room would be too much
				room := n + 16
				if before := id >> pageBits; before > 0 && n == 0 { // as many as the page before
					room = max(room, g.pages[before-1].usedHubs)
				}
				p.hubs = append(make([]hub, 0, room), p.hubs...)
			}
			p.hubs = append(p.hubs, hub{})
			x.hub = uint16(len(p.hubs))
		}
		p.usedHubs++
	}
	return &p.hubs[x.hub-1]
}

// fitHub gives an empty hub back.
func (g *Graph) fitHub(id NodeID) {
	x, p := g.at(id), g.page(id)
	if x.hub == 0 || p.hubs[x.hub-1] != (hub{}) {
		return
	}
	p.hubs[x.hub-1].firstDep = edgeID(p.freeHubs)
	p.freeHubs, x.hub = x.hub, 0
	if p.usedHubs--; p.usedHubs == 0 {
		p.hubs, p.freeHubs = nil, 0
	}
}
