#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TeamCity: a command line step. A broken budget is a build problem; an inconclusive check is one too, of a type of its
# own, which a project may mute or not. "Fail build if the exit code is not zero" stays on for errors.
# The rules are those of PPROFGATE_BASE (origin/main unless set; for pull requests to other branches set the parameter
# env.PPROFGATE_BASE to origin/%teamcity.pullRequest.target.branch%), so that a change does not loosen its own.
# Check out on the agent. STORE is a folder that the agents share, outside of the checkout.
set -u
base=${PPROFGATE_BASE:-origin/main}
git fetch --quiet origin "+refs/heads/${base#origin/}:refs/remotes/$base" || true
./profile.sh profiles # yours: whatever writes profiles of this build into profiles/
status=0
pprofgate check --rules-from "$base" --store "${STORE:-/srv/pprofgate/baselines}" --service shop \
  --report pprofgate-report profiles || status=$?
if [ -f pprofgate-report/report.html ]; then
  echo "##teamcity[importData type='junit' path='pprofgate-report/junit.xml']"
  echo "##teamcity[publishArtifacts 'pprofgate-report => pprofgate-report']"
fi
case $status in
0) echo "##teamcity[buildStatus text='{build.status.text}; profiles: pass']" ;;
1)
  echo "##teamcity[buildProblem identity='pprofgate-fail' description='pprofgate: a budget is broken']"
  status=0 # the problem fails the build, once
  ;;
3)
  echo "##teamcity[buildProblem identity='pprofgate-inconclusive' description='pprofgate: the samples cannot decide']"
  status=0
  ;;
esac
exit "$status"
