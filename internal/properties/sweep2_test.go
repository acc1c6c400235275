package properties
import ("testing";"fmt";"time";"strconv";"github.com/ownergraph/ownergraph/graph")
func timed(b *bulk, name string, f func()) { s:=time.Now(); f(); if d:=time.Since(s); d>300*time.Microsecond { fmt.Println(name, d) } }
func TestP5(t *testing.T) {
	// 100,000 independent objects deleted in the foreground wait for one fence
	var objs []graph.Object
	for i := range 100000 { objs = append(objs, object(key("solo", strconv.Itoa(i)))) }
	b := watched(t, 20, objs)
	for _, o := range objs { b.remove(o.Key, graph.Foreground) }
	for i := 0; i < 100; i++ {
	  for len(b.events) > 0 { ev := b.events[0]; b.events=b.events[1:]; timed(b, "observe "+ev.Type.String(), func(){ b.observe(ev) }) }
	  c, at := b.engine.Next(b.now, 3)
	  _ = at
	  if c.Type != 0 { timed(b, "done", func(){ b.engine.Done(b.now, c.ID, b.carry(c)) }); fmt.Println("fence at", i) }
	  for range 2000 { c, _ := b.engine.Next(b.now, 1); if c.Type!=0 { b.engine.Done(b.now, c.ID, b.carry(c)) } }
	}
	fmt.Println(len(b.objects), b.engine.Stats())
}
func TestRing5(t *testing.T) {
	o := ring(100000)
	for i := range o { o[i].Deleting, o[i].Finalizers = true, []string{graph.FinalizerForeground} }
	b := newBulk(t, 20, o)
	b.list(o)
	for i := 0; i < 3000 && len(b.objects) > 1; i++ {
	  for len(b.events) > 0 { ev := b.events[0]; b.events=b.events[1:]; timed(b, "observe "+ev.Type.String()+ev.Object.Key.String(), func(){ b.observe(ev) }) }
	  var c, c3 = b.engine.Next(b.now, 3)
	  _ = c3
	  if c.Type != 0 { b.engine.Done(b.now, c.ID, b.carry(c)); fmt.Println("fence at", i) }
	  for range 100 { timed(b, fmt.Sprint(i," next"), func(){ c, _ = b.engine.Next(b.now, 1); if c.Type!=0 { b.engine.Done(b.now, c.ID, b.carry(c)) } }) }
	}
	fmt.Println(len(b.objects), b.engine.Stats())
}
