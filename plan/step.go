package plan

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Actor takes a step of a plan.
type Actor uint8

const (
	// ActorUnset is no actor.
	ActorUnset Actor = iota
	// User is the user of the request.
	User
	// Engine is the engine.
	Engine
	// Controller is the controller of a foreign finalizer (Request.Removed).
	Controller
	// Grace is the agent that ends an object's grace period.
	Grace
	// Container is the actor that empties a container: see graph.Container.
	Container
)

var actorNames = [...]string{"unset", "user", "engine", "controller", "grace", "container"}

// String returns the actor in lower case.
func (a Actor) String() string {
	if int(a) < len(actorNames) {
		return actorNames[a]
	}
	return fmt.Sprintf("actor(%d)", uint8(a))
}

// Step is one write to one object, or one run of a handler. It is a value.
type Step struct {
	Actor Actor
	// Action is the action of the engine's decision. It is Delete for the user and for the
	// end of a grace period, and Release for a controller. The actor of a container takes both.
	Action policy.Action
	Key    graph.Key
	// Reason is the reason of the engine's decision.
	Reason policy.Reason
	// Propagation is that of a delete.
	Propagation graph.Propagation
	// Finalizer is the finalizer that the step puts on or takes off, or whose handler runs.
	Finalizer string
	// Handler says that the step is a run of the handler of Finalizer.
	Handler bool
	// Owners are the references that the step drops or unblocks. For a delete they are the cascade
	// references that decide it, if some do.
	Owners []graph.Key
	// Removes says that the object leaves the store with this step.
	Removes bool
	Wave    int
	// After has the numbers of the steps that this one waits for, sorted, at most 8.
	// AfterMore counts the others.
	After     []int
	AfterMore int
	// Fence says that the step waits for a fence behind these steps, too.
	Fence bool
}
