// SPDX-License-Identifier: Apache-2.0
// Plays the part of Jenkins' declarative pipelines that ci/recipes/Jenkinsfile uses: stages in turn, `sh` for real, and the
// result of each build in a line. An unknown step is an error. usage: groovy.ui.GroovyMain jenkins.groovy FILE
// (FOLDER BRANCH)..., each a checkout to build

class Failed extends RuntimeException {
    Failed(String text) { super(text) }
}

class Steps {
    String result = 'SUCCESS'
    Map variables = [:]
    String branch
    File folder

    def run(Closure body) {
        body.delegate = this
        body.resolveStrategy = Closure.DELEGATE_FIRST
        body()
    }

    def sh(String text) {
        if (sh(script: text) != 0) throw new Failed("script returned an error")
    }

    def sh(Map given) {
        def builder = new ProcessBuilder('sh', '-xe', '-c', given.script.toString())
        variables.each { name, value -> builder.environment().put(name, value.toString()) }
        def status = builder.directory(folder).redirectErrorStream(true).inheritIO().start().waitFor()
        if (status != 0 && given.script != null && given.returnStatus != true) throw new Failed("exit code $status")
        status
    }

    def error(String text) { throw new Failed(text) }
    def unstable(String text) { println "unstable: $text"; result = 'UNSTABLE' }
    def script(Closure body) { run(body) }

    def junit(Map given) {
        def file = new File(folder, given.testResults)
        if (!file.exists() && !given.allowEmptyResults) throw new Failed('no test results')
        if (file.exists()) println "junit: ${new groovy.xml.XmlSlurper().parse(file).name()}"
    }

    def archiveArtifacts(Map given) {
        def names = new File(folder, given.artifacts - '/**').list()
        if (!names && !given.allowEmptyArchive) throw new Failed('no artifacts')
        println "archived: ${names?.sort()}"
    }
}

class Stage extends Steps {
    boolean chosen = true
    Closure body, after

    def when(Closure condition) { run(condition) }
    def branch(String name) { chosen = name == branch }
    def steps(Closure work) { body = work }
    def post(Closure work) { after = work }
    def always(Closure work) { run(work) }
}

class Pipeline extends Steps {
    String any = 'any'
    Map env = System.getenv()

    def agent(what) { if (what != 'any') throw new Failed("agent $what") }
    def stages(Closure body) { run(body) }

    def environment(Closure body) {
        def told = this
        body.delegate = new Expando() {
            Object getProperty(String name) { name == 'env' ? told.env : super.getProperty(name) }
            void setProperty(String name, Object value) { told.variables[name] = value }
        }
        body.resolveStrategy = Closure.DELEGATE_ONLY
        body()
    }

    def stage(String name, Closure body) {
        if (result == 'FAILURE') return
        def stage = new Stage(variables: variables, branch: branch, folder: folder)
        stage.run(body)
        if (!stage.chosen) return
        try {
            stage.run(stage.body)
        } catch (Failed failed) {
            println "error: ${failed.message}"
            stage.result = 'FAILURE'
        }
        if (stage.after) stage.run(stage.after)
        if (stage.result != 'SUCCESS') result = stage.result
    }
}

Pipeline pipeline
def script = new GroovyShell(new Binding([pipeline: { Closure body -> pipeline.run(body) }])).parse(new File(args[0]))
args.drop(1).toList().collate(2).each { folder, branch ->
    println "build: $folder"
    pipeline = new Pipeline(branch: branch, folder: new File(folder))
    script.run()
    println "result: ${pipeline.result}"
}
