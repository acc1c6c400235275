package view

import (
	"fmt"
	"slices"
)

// band is a wave of a plan with its nodes. A picture without waves is one band without a
// title.
type band struct {
	number int
	title  string
	nodes  []int
}

// bands groups the nodes by wave. The nodes without a step come last.
func (p *Picture) bands() (list []band) {
	if p.waves == 0 {
		b := band{}
		for i := range p.nodes {
			b.nodes = append(b.nodes, i)
		}
		return []band{b}
	}
	byWave := map[int][]int{}
	for i := range p.nodes {
		byWave[p.nodes[i].wave] = append(byWave[p.nodes[i].wave], i)
	}
	waves := make([]int, 0, len(byWave))
	for wave := range byWave {
		waves = append(waves, wave)
	}
	slices.Sort(waves)
	for _, wave := range waves {
		if wave > 0 {
			list = append(list, band{wave, fmt.Sprint("wave ", wave), byWave[wave]})
		}
	}
	if rest := byWave[0]; len(rest) > 0 {
		list = append(list, band{0, "no step", rest})
	}
	return list
}

// rings reports for each edge whether it closes a ring. Without these edges no path leads
// from a node back to it.
func (p *Picture) rings() []bool {
	const (
		fresh = iota
		open
		done
	)
	out := make([]bool, len(p.edges))
	begin := begins(p.edges, len(p.nodes), func(e *edge) int { return e.upper })
	at := slices.Clone(begin)
	state := make([]uint8, len(p.nodes))
	under := make([]bool, len(p.nodes))
	for _, e := range p.edges {
		under[e.lower] = under[e.lower] || e.lower != e.upper
	}
	visit := func(start int) {
		stack := []int{start}
		state[start] = open
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if at[n] == begin[n+1] {
				state[n] = done
				stack = stack[:len(stack)-1]
				continue
			}
			e := at[n]
			at[n]++
			switch to := p.edges[e].lower; state[to] {
			case fresh:
				state[to] = open
				stack = append(stack, to)
			case open:
				out[e] = true
			}
		}
	}
	for _, top := range p.order(under) {
		for i := range p.nodes {
			if state[i] == fresh && top(i) {
				visit(i)
			}
		}
	}
	return out
}
