// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	flagger "github.com/fluxcd/flagger/pkg/apis/flagger/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func all(t *testing.T) map[string][]kruntime.Object {
	t.Helper()
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("expected all manifests, found %q", files)
	}
	objects := map[string][]kruntime.Object{}
	for _, file := range files {
		if objects[file], err = Read(file); err != nil {
			t.Error(err)
		}
	}
	return objects
}

func TestStrict(t *testing.T) {
	for file, objects := range all(t) {
		if len(objects) == 0 {
			t.Errorf("%s: nothing in it", file)
		}
	}
}

// A reader that takes everything would pass all files, so it has to refuse a typo, also deep in a Job.
func TestStrictRefuses(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(Root(), "job", "analysis.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][2]string{
		{"failureLimit:", "failLimit:"},
		{"backoffLimit:", "backOffLimits:"},
		{"readOnlyRootFilesystem:", "readOnlyRootFileSystems:"},
		{"count: 1", "count: 1\n      count: 1"},
	} {
		wrong := strings.Replace(string(text), row[0], row[1], 1)
		if wrong == string(text) {
			t.Fatalf("'%s' is not there", row[0])
		}
		folder := filepath.Join(t.TempDir(), "typo.yaml")
		if err := os.WriteFile(folder, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(Root(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil {
			t.Errorf("'%s' was taken", row[1])
		}
	}
}

func jobs(objects map[string][]kruntime.Object) map[string]*batchv1.JobSpec {
	found := map[string]*batchv1.JobSpec{}
	for file, in := range objects {
		for _, object := range in {
			template, ok := object.(*v1alpha1.AnalysisTemplate)
			if !ok {
				continue
			}
			for i := range template.Spec.Metrics {
				if job := template.Spec.Metrics[i].Provider.Job; job != nil {
					found[file] = &job.Spec
				}
			}
		}
	}
	return found
}

// A gate that is retried until it passes gates nothing, and one that never ends blocks the rollout.
func TestJobsRunOnce(t *testing.T) {
	found := jobs(all(t))
	if len(found) != 3 {
		t.Fatalf("expected three Jobs, found %d", len(found))
	}
	for file, job := range found {
		if job.BackoffLimit == nil || *job.BackoffLimit != 0 {
			t.Errorf("%s: a failing gate is run again", file)
		}
		if job.ActiveDeadlineSeconds == nil || *job.ActiveDeadlineSeconds <= 600 {
			t.Errorf("%s: no deadline above max-time (10m)", file)
		}
		if job.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
			t.Errorf("%s: a failing container is started again", file)
		}
	}
	for file, objects := range all(t) {
		for _, object := range objects {
			template, ok := object.(*v1alpha1.AnalysisTemplate)
			if !ok {
				continue
			}
			for _, metric := range template.Spec.Metrics {
				if metric.Count == nil || *metric.Count != intstr.FromInt32(1) {
					t.Errorf("%s: metric '%s' is not taken exactly once", file, metric.Name)
				}
				if metric.FailureLimit != nil && *metric.FailureLimit != intstr.FromInt32(0) {
					t.Errorf("%s: metric '%s' may fail", file, metric.Name)
				}
			}
		}
	}
}

// What the restricted level of the Pod Security Standards asks, and a read-only root, limits and no token besides.
func TestPodsAreConfined(t *testing.T) {
	pods := map[string]corev1.PodSpec{}
	objects := all(t)
	for file, job := range jobs(objects) {
		pods[file] = job.Template.Spec
	}
	for file, in := range objects {
		for _, object := range in {
			if deployment, ok := object.(*appsv1.Deployment); ok && file != "flagger/canary.yaml" {
				pods[file] = deployment.Spec.Template.Spec
			}
		}
	}
	if len(pods) < 4 {
		t.Fatalf("expected four pods, found %d", len(pods))
	}
	for file, pod := range pods {
		context := pod.SecurityContext
		if context == nil || context.RunAsNonRoot == nil || !*context.RunAsNonRoot || context.SeccompProfile == nil ||
			context.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: the pod may be root, or has no seccomp profile", file)
		}
		if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			t.Errorf("%s: the pod has a token", file)
		}
		for _, container := range append(append([]corev1.Container{}, pod.InitContainers...), pod.Containers...) {
			confined(t, file, container)
		}
	}
}

func confined(t *testing.T, file string, container corev1.Container) {
	t.Helper()
	context := container.SecurityContext
	if context == nil || context.AllowPrivilegeEscalation == nil || *context.AllowPrivilegeEscalation ||
		context.ReadOnlyRootFilesystem == nil || !*context.ReadOnlyRootFilesystem || context.Capabilities == nil ||
		len(context.Capabilities.Drop) != 1 || context.Capabilities.Drop[0] != "ALL" {
		t.Errorf("%s: container '%s' may do more than it has to", file, container.Name)
	}
	if container.Resources.Limits.Memory().IsZero() || container.Resources.Requests.Cpu().IsZero() {
		t.Errorf("%s: container '%s' has no limit of memory or asks for no processor", file, container.Name)
	}
}

// What one manifest names, another one has.
func TestNamesFit(t *testing.T) {
	templates := map[string]map[string]bool{}
	objects := all(t)
	ports := map[string]bool{}
	open := map[string]bool{} // templates with an end that is neither success nor failure
	for _, in := range objects {
		for _, object := range in {
			switch object := object.(type) {
			case *v1alpha1.AnalysisTemplate:
				required := map[string]bool{}
				for _, arg := range object.Spec.Args {
					required[arg.Name] = arg.Value == nil && arg.ValueFrom == nil
				}
				templates[object.Name] = required
				for _, metric := range object.Spec.Metrics {
					open[object.Name] = open[object.Name] || metric.Provider.Job == nil
				}
			case *v1alpha1.Rollout:
				for _, port := range object.Spec.Template.Spec.Containers[0].Ports {
					ports[port.Name] = true
				}
			}
		}
	}
	check := func(file, template string, given []v1alpha1.AnalysisRunArgument) {
		known, ok := templates[template]
		if !ok {
			t.Errorf("%s: there is no template '%s'", file, template)
		}
		told := map[string]bool{}
		for _, arg := range given {
			if _, ok := known[arg.Name]; !ok {
				t.Errorf("%s: template '%s' has no argument '%s'", file, template, arg.Name)
			}
			told[arg.Name] = true
		}
		for name, required := range known {
			if required && !told[name] {
				t.Errorf("%s: template '%s' is not told '%s'", file, template, name)
			}
		}
	}
	for file, in := range objects {
		for _, object := range in {
			switch object := object.(type) {
			case *v1alpha1.Rollout:
				for _, step := range object.Spec.Strategy.Canary.Steps {
					if step.Analysis != nil {
						check(file, step.Analysis.Templates[0].TemplateName, step.Analysis.Args)
					}
					if step.Experiment != nil {
						for _, analysis := range step.Experiment.Analyses {
							check(file, analysis.TemplateName, analysis.Args)
							if open[analysis.TemplateName] {
								t.Errorf("%s: template '%s' may end Inconclusive, and the experiment is then begun again",
									file, analysis.TemplateName)
							}
						}
					}
				}
			case *networkingv1.NetworkPolicy:
				for _, rule := range object.Spec.Ingress {
					for _, port := range rule.Ports {
						if !ports[port.Port.StrVal] {
							t.Errorf("%s: no rollout has a port '%s'", file, port.Port)
						}
					}
				}
			case *flagger.Canary:
				for _, hook := range object.GetAnalysis().Webhooks {
					if hook.Metadata == nil {
						t.Errorf("%s: hook '%s' has no command", file, hook.Name)
					}
				}
			}
		}
	}
}
