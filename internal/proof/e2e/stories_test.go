package e2e

import (
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// The user stories of KubeZoo's tenant proposal. Each runs on a server where upstream's
// namespace controller ends namespaces, and on one where our scope sweep does. Tenant
// 111111 is deleted beside 1111112 and 222222.

var (
	priority   = builtin("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, nil)
	mutating   = builtin("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false, nil)
	validating = builtin("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false, nil)
)

// Story 1: native cluster-scoped resources of tenants are cleaned up.
func TestUserStory1NativeResources(t *testing.T) {
	each(t, func(e *estate, start func() *collecting) {
		for _, name := range tenants {
			e.several(3, volume, e.its(name, "volume"))
			e.create(priority, e.its(name, "gold"), field(int64(10), "value"))
			e.create(mutating, e.its(name, "hook"))
			e.create(validating, e.its(name, "hook"))
			e.create(role, e.its(name, "admin"))
		}
		shared := e.create(volume, e.ns+"-111111-is-no-tenants") // it does not begin with one
		c := start()
		e.delete(e.holders[gone], background)
		e.report(e.demandGone(gone), c)
		e.stays(shared, e.holders["1111112"], e.holders["222222"])
	})
}

// Story 2: definitions of tenants are cleaned up, with all their objects. A finalizer
// holds one object. The tenant stays as long as that object, and the report names the
// finalizer.
func TestUserStory2Definitions(t *testing.T) {
	each(t, func(e *estate, start func() *collecting) {
		var held object
		for _, name := range tenants {
			widget := e.defineIn(e.groupOf(name), "Widget", false)
			gadget := e.defineIn(e.groupOf(name), "Gadget", true)
			e.several(3, widget, "blue")
			e.several(3, gadget, "green", under(e.spaces[name].name))
			e.create(gadget, "elsewhere") // in a namespace of no tenant
			if name == gone {
				held = e.create(widget, "held", finalizers(hold))
			}
		}
		c := start()
		e.delete(e.holders[gone], background)
		e.until("wait for the sweep to show the members that are left", func() error {
			for _, s := range c.Sweeps(10) {
				if s.Holder.Name == gone && s.MembersLeft > 0 && s.Members > s.MembersLeft && e.whyHeld(c, e.holders[gone]) == policy.NeedMembers {
					return nil
				}
			}
			return errNotYet
		})
		e.until("wait for the held one to be marked", func() error {
			if e.read(held).GetDeletionTimestamp() == nil {
				return errNotYet
			}
			return nil
		})
		e.read(e.holders[gone])
		e.free(held)
		e.report(e.demandGone(gone), c)
	})
}

// Story 3: custom resources without a namespace are cleaned up. Their definitions are
// those of the tenant and those of the admin for all tenants. The admin's definitions
// stay.
func TestUserStory3CustomResources(t *testing.T) {
	each(t, func(e *estate, start func() *collecting) {
		for _, name := range tenants {
			widget := e.defineIn(e.groupOf(name), "Widget", false)
			e.several(5, widget, e.its(name, "own"))
			e.create(widget, "nameless")
			e.several(5, e.quota, e.its(name, "quota"))
		}
		admins := e.create(e.quota, "default")
		c := start()
		e.delete(e.holders[gone], background)
		e.report(e.demandGone(gone), c)
		e.stays(admins)
		e.until("wait for the sweep to be over", func() error {
			if len(c.Sweeps(10)) > 0 {
				return errNotYet
			}
			return nil
		})
	})
}
