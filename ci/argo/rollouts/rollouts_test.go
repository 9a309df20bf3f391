// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/validation"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"pprofgate.invalid/ci/argo/manifests"
	"pprofgate.invalid/ci/argo/shop"
)

// patience is how long a rollout may take to get somewhere; what is decided does not depend on it.
const patience = 40 * time.Second

// apply puts the objects of files into the cluster: measurements of one round, and pauses of a second.
func (c *cluster) apply(files ...string) {
	c.t.Helper()
	for _, file := range files {
		objects, err := manifests.Read(file)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, object := range objects {
			switch object := object.(type) {
			case *v1alpha1.AnalysisTemplate:
				for i := range object.Spec.Args {
					switch object.Spec.Args[i].Name {
					case "seconds":
						object.Spec.Args[i].Value = ptr.To(shop.Seconds)
					case "max-time":
						object.Spec.Args[i].Value = ptr.To(shop.MaxTime)
					case "scraped":
						object.Spec.Args[i].Value = ptr.To("1s")
					}
				}
				object.Namespace = namespace
				_, err = c.templates.Resource(v1alpha1.AnalysisTemplateGVR).Namespace(namespace).Create(
					context.Background(), untypedOf(object), metav1.CreateOptions{})
			case *v1alpha1.Rollout:
				if wrong := validation.ValidateRollout(object); len(wrong) > 0 {
					c.t.Fatalf("%s: %v", file, wrong)
				}
				for i := range object.Spec.Strategy.Canary.Steps {
					if pause := object.Spec.Strategy.Canary.Steps[i].Pause; pause != nil {
						pause.Duration = v1alpha1.DurationFromInt(1)
					}
				}
				_, err = c.argo.ArgoprojV1alpha1().Rollouts(namespace).Create(context.Background(), object, metav1.CreateOptions{})
			case *corev1.Service:
				_, err = c.kube.CoreV1().Services(namespace).Create(context.Background(), object, metav1.CreateOptions{})
			}
			if err != nil {
				c.t.Fatalf("%s: %v", file, err)
			}
		}
	}
}

func (c *cluster) rollout() *v1alpha1.Rollout {
	c.t.Helper()
	found, err := c.argo.ArgoprojV1alpha1().Rollouts(namespace).Get(context.Background(), "shop", metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return found
}

// wait is until the rollout is as it is wanted.
func (c *cluster) wait(what string, is func(*v1alpha1.Rollout) bool) *v1alpha1.Rollout {
	c.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		found := c.rollout()
		if is(found) {
			return found
		}
		c.relist(found)
		if time.Now().After(end) {
			c.t.Fatalf("expected %s, found %s: %s\n%s", what, found.Status.Phase, found.Status.Message, c.analyses())
		}
	}
}

// relist tells the controller again of a change that it has overwritten in its own memory: it writes there what it has
// just stored, and a newer state that came between is seen again only with the next event.
func (c *cluster) relist(stored *v1alpha1.Rollout) {
	known, found, err := c.rollouts.GetStore().GetByKey(namespace + "/" + stored.Name)
	if err != nil || !found || nameOf(known.(kruntime.Object)).GetGeneration() >= stored.Generation {
		return
	}
	again := stored.DeepCopy()
	again.Annotations["relisted"] = stored.ResourceVersion
	_, err = c.argo.ArgoprojV1alpha1().Rollouts(namespace).Update(context.Background(), again, metav1.UpdateOptions{})
	if err != nil && !errors.IsConflict(err) {
		c.t.Fatal(err)
	}
}

// analyses tells all runs, for whoever reads a failure.
func (c *cluster) analyses() string {
	runs, err := c.argo.ArgoprojV1alpha1().AnalysisRuns(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, run := range runs.Items {
		fmt.Fprintf(&text, "AnalysisRun '%s': %s %s\n", run.Name, run.Status.Phase, run.Status.Message)
	}
	return text.String()
}

// phases are how the runs of metrics ended, by the metric's name.
func (c *cluster) phases() map[string]v1alpha1.AnalysisPhase {
	c.t.Helper()
	runs, err := c.argo.ArgoprojV1alpha1().AnalysisRuns(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	found := map[string]v1alpha1.AnalysisPhase{}
	for _, run := range runs.Items {
		for _, metric := range run.Status.MetricResults {
			found[metric.Name] = metric.Phase
		}
	}
	return found
}

// release rolls the first build out, which nothing is compared with, and then another one. It returns the first one's
// hash.
func (c *cluster) release(build string) string {
	c.t.Helper()
	healthy := c.wait("the first build to be healthy", func(r *v1alpha1.Rollout) bool {
		return r.Status.Phase == v1alpha1.RolloutPhaseHealthy && r.Status.StableRS != ""
	})
	rollouts := c.argo.ArgoprojV1alpha1().Rollouts(namespace)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		next, err := rollouts.Get(context.Background(), healthy.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		next.Spec.Template.Spec.Containers[0].Image = build
		_, err = rollouts.Update(context.Background(), next, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return healthy.Status.StableRS
}

// The ends of a rollout.
const (
	promoted = "promoted"
	aborted  = "aborted"
	paused   = "paused"
)

func (c *cluster) expectEnd(first, build, end string) {
	c.t.Helper()
	switch end {
	case promoted:
		done := c.wait(end, func(r *v1alpha1.Rollout) bool {
			return r.Status.Phase == v1alpha1.RolloutPhaseHealthy && r.Status.StableRS != first
		})
		if image := done.Spec.Template.Spec.Containers[0].Image; image != build {
			c.t.Errorf("expected '%s', found '%s'", build, image)
		}
	case aborted:
		done := c.wait(end, func(r *v1alpha1.Rollout) bool {
			return r.Status.Abort && r.Status.Phase == v1alpha1.RolloutPhaseDegraded
		})
		if done.Status.StableRS != first {
			c.t.Error("the stable build is another one")
		}
	case paused:
		done := c.wait(end, func(r *v1alpha1.Rollout) bool {
			for _, condition := range r.Status.PauseConditions {
				if condition.Reason == v1alpha1.PauseReasonInconclusiveAnalysis ||
					condition.Reason == v1alpha1.PauseReasonInconclusiveExperiment {
					return true
				}
			}
			return false
		})
		if done.Status.Abort || done.Status.StableRS != first {
			c.t.Errorf("it goes on: %s", done.Status.Message)
		}
	}
}

type phases = map[string]v1alpha1.AnalysisPhase

const (
	good         = v1alpha1.AnalysisPhaseSuccessful
	failed       = v1alpha1.AnalysisPhaseFailed
	inconclusive = v1alpha1.AnalysisPhaseInconclusive
)

// Each way to adopt the gate, with each build that it may meet.
var rows = []struct {
	way   string
	files []string
	build string
	end   string
	runs  phases
}{
	{"job/rollout", nil, shop.Good, promoted, phases{"pprofgate": good}},
	{"job/rollout", nil, shop.Slow, aborted, phases{"pprofgate": failed}},
	{"job/rollout", nil, shop.Close, aborted, phases{"pprofgate": failed}},
	{"job/rollout", nil, shop.Absent, aborted, phases{"pprofgate": failed}},
	{"job/experiment", nil, shop.Good, promoted, phases{"pprofgate": good}},
	{"job/experiment", nil, shop.Slow, aborted, phases{"pprofgate": failed}},
	{"job/experiment", nil, shop.Close, aborted, phases{"pprofgate": failed}},
	{"published/rollout", published, shop.Good, promoted, phases{"measure": good, "verdict": good}},
	{"published/rollout", published, shop.Slow, aborted, phases{"measure": good, "verdict": failed}},
	{"published/rollout", published, shop.Close, paused, phases{"measure": good, "verdict": inconclusive}},
	{"published/rollout", published, shop.Absent, aborted, phases{"measure": failed}},
	{"published/experiment", published, shop.Good, promoted, phases{"measure": good, "verdict": good}},
	{"published/experiment", published, shop.Slow, aborted, phases{"measure": good, "verdict": failed}},
	{"published/experiment", published, shop.Close, paused, phases{"measure": good, "verdict": inconclusive}},
	{"prometheus/rollout", pushed, shop.Good, promoted, phases{"measure": good, "failed": good, "passed": good}},
	{"prometheus/rollout", pushed, shop.Slow, aborted, phases{"measure": good, "failed": failed}},
	{"prometheus/rollout", pushed, shop.Close, paused, phases{"measure": good, "failed": good, "passed": inconclusive}},
	{"prometheus/rollout", pushed, shop.Absent, aborted, phases{"measure": failed}},
}

var (
	published = []string{"published/measure.yaml", "published/verdict.yaml"}
	pushed    = []string{"prometheus/push.yaml", "prometheus/verdict.yaml"}
)

// expectOneJob holds what a verdict is worth: one that is asked for again until it is liked is none.
func (c *cluster) expectOneJob() {
	c.t.Helper()
	jobs, err := c.kube.BatchV1().Jobs(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	if len(jobs.Items) != 1 {
		c.t.Errorf("expected one measurement, found %d\n%s", len(jobs.Items), c.analyses())
	}
}

func TestRollouts(t *testing.T) {
	for _, row := range rows {
		t.Run(row.way+"/"+strings.TrimPrefix(row.build, "shop:"), func(t *testing.T) {
			if _, err := exec.LookPath("busybox"); err != nil && row.files != nil {
				t.Skip("busybox is missing")
			}
			c := start(t)
			shop.Use(t, c.route)
			c.apply(append([]string{"job/analysis.yaml"}, row.files...)...)
			c.apply(row.way + ".yaml")
			first := c.release(row.build)
			c.expectEnd(first, row.build, row.end)
			c.expectOneJob()
			found := c.phases()
			for metric, phase := range row.runs {
				if found[metric] != phase {
					t.Errorf("metric '%s': expected %s, found %s\n%s", metric, phase, found[metric], c.analyses())
				}
			}
		})
	}
}

// What somebody does about a pause, as `kubectl argo rollouts promote` and `abort` patch it.
func TestAfterAPause(t *testing.T) {
	const promote = `{"status":{"pauseConditions":null,"controllerPause":false,"currentStepIndex":%d}}`
	for _, row := range []struct {
		way, patch, end string
	}{
		{"published/rollout", fmt.Sprintf(promote, 4), promoted},
		{"published/rollout", `{"status":{"abort":true}}`, aborted},
		{"published/experiment", fmt.Sprintf(promote, 2), promoted},
		{"published/experiment", `{"status":{"abort":true}}`, aborted},
		{"published/rollout", `{"status":{"pauseConditions":null}}`, paused}, // the same verdict, read again
	} {
		t.Run(row.way+"/"+row.end, func(t *testing.T) {
			if _, err := exec.LookPath("busybox"); err != nil {
				t.Skip("busybox is missing")
			}
			c := start(t)
			shop.Use(t, c.route)
			c.apply(append([]string{"job/analysis.yaml", row.way + ".yaml"}, published...)...)
			first := c.release(shop.Close)
			c.expectEnd(first, shop.Close, paused)
			if step := c.rollout().Status.CurrentStepIndex; strings.Contains(row.patch, "Index") &&
				!strings.Contains(row.patch, fmt.Sprintf(`"currentStepIndex":%d`, *step+1)) {
				t.Fatalf("it pauses at step %d", *step)
			}
			_, err := c.argo.ArgoprojV1alpha1().Rollouts(namespace).Patch(context.Background(), "shop", types.MergePatchType,
				[]byte(row.patch), metav1.PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c.expectEnd(first, shop.Close, row.end)
			c.expectOneJob()
		})
	}
}
