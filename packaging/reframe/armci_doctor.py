# ReFrame: armci-doctor as a regression test of a site's MPI library and network. The doctor's exit status is the verdict: 0 means that every path
# in use gave correct results.  reframe -c armci_doctor.py -r [-S modules=armci-rma/VERSION-openmpi]
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class ArmciDoctor(rfm.RunOnlyRegressionTest):
    descr = 'ARMCI-RMA: MPI and ARMCI on it, between nodes where there are any'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'armci-doctor'
    executable_opts = ['--report=report.json']
    num_tasks = 2
    num_tasks_per_node = 1
    time_limit = '5m'
    keep_files = ['report.json']

    @sanity_function
    def correct(self):
        return sn.all([sn.assert_eq(self.job.exitcode, 0),
                       sn.assert_found(r'^Every ARMCI path in use is correct\.$', self.stdout)])

    @performance_function('us')
    def get_8_bytes(self):
        report = os.path.join(self.stagedir, 'report.json')
        return sn.extractsingle(r'"get 8 B", "bytes": 8, "idle_us": ([\d.]+)', report, 1, float)
