package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// scenario is one kind of cascade.
type scenario struct {
	name   string
	how    metav1.DeletionPropagation
	custom bool // of custom resources; otherwise of config maps
	middle int  // owners between the deleted one and the others
}

func scenarios() []scenario {
	return []scenario{
		{name: "background", how: metav1.DeletePropagationBackground},
		{name: "background, 3 levels", how: metav1.DeletePropagationBackground, middle: 50},
		{name: "foreground", how: metav1.DeletePropagationForeground},
		{name: "orphan", how: metav1.DeletePropagationOrphan},
		{name: "orphan, custom resource", how: metav1.DeletePropagationOrphan, custom: true},
	}
}

func scenarioOf(name string) (scenario, error) {
	for _, s := range scenarios() {
		if s.name == name {
			return s, nil
		}
	}
	return scenario{}, fmt.Errorf("scenario %q: there is none such", name)
}

// gvk returns the kind of all objects of the scenario.
func (s scenario) gvk() schema.GroupVersionKind {
	if s.custom {
		return schema.GroupVersionKind{Group: customGroup, Version: "v1", Kind: "Widget"}
	}
	return schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
}

func (s scenario) resource() schema.GroupVersionResource {
	gvk := s.gvk()
	return gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
}

const customGroup = "figures.ownergraph.example"

// stays labels the objects that a cascade must not change.
const stays = "stays"

// planned is an object of a load, and after its creation its UID.
type planned struct {
	name  string
	owner *planned
	stays bool
	uid   string
}

// plan returns the objects of a cascade by levels, each after its owners: the owner,
// the objects between, and the rest. It adds two objects that have nothing to do with
// the cascade.
func (s scenario) plan(dependents int) [][]*planned {
	owner := &planned{name: "owner"}
	keeper := &planned{name: "keeper", stays: true}
	kept := &planned{name: "kept", owner: keeper, stays: true}
	var between, last []*planned
	for i := range s.middle {
		between = append(between, &planned{name: fmt.Sprint("between-", i), owner: owner})
	}
	for i := range dependents - s.middle {
		p := &planned{name: fmt.Sprintf("dependent-with-a-name-%d", i), owner: owner}
		if s.middle > 0 {
			p.owner = between[i%s.middle]
		}
		last = append(last, p)
	}
	return [][]*planned{{owner, keeper}, append(between, kept), last}
}

// forest returns trees of 1, 3 and 30 objects by levels, as of deployments, replica
// sets and pods.
func forest(objects int) [][]*planned {
	levels := make([][]*planned, 3)
	add := func(level int, name string, owner *planned) *planned {
		p := &planned{name: name, owner: owner}
		levels[level] = append(levels[level], p)
		objects--
		return p
	}
	for i := 0; objects > 0; i++ {
		top := add(0, fmt.Sprint("deployment-", i), nil)
		for j := 0; j < 3 && objects > 0; j++ {
			set := add(1, fmt.Sprintf("%s-%d", top.name, j), top)
			for k := 0; k < 10 && objects > 0; k++ {
				add(2, fmt.Sprintf("%s-pod-with-a-name-%d", set.name, k), set)
			}
		}
	}
	return levels
}
