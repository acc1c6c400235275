package properties
import ("testing";"fmt";"time";"github.com/ownergraph/ownergraph/graph")
func TestSweep(t *testing.T) {
	for _, n := range []int{1000,10000,100000} {
	b := watched(t, 20, tree(n))
	b.most = load{}
	b.objects = map[graph.Key]graph.Object{}
	turns := b.turns
	begin := time.Now()
	b.list(nil)
	b.settle()
	fmt.Println(n, b.most, b.turns-turns, time.Since(begin))
	b = watched(t, 20, tree(n))
	delete(b.objects, rootKey.Place())
	b.most = load{}
	begin = time.Now()
	b.observe(graph.Event{Type: graph.Gone, Key: rootKey})
	fmt.Println(b.most, time.Since(begin))
	b.settle()
	}
}
func TestSweep2(t *testing.T) {
	b := watched(t, 20, tree(100000))
	b.objects = map[graph.Key]graph.Object{}
	b.list(nil)
	last := b.engine.Stats()
	for i := 0; i < 12; i++ {
		c, at := b.engine.Next(b.now, 1+0)
		s := b.engine.Stats()
		fmt.Println(i, c.Type, c.Key, at, s.Gone-last.Gone, s.Queued, s.Decisions-last.Decisions)
		last = s
	}
}
