/*
 * Parses the kernel's uevents, to detect CPUs that go offline or come online during the recording. A uevent has several strings.
 * The first is, for example, "offline@/devices/system/cpu/cpu1" (Documentation/core-api/cpu_hotplug.rst).
 */
#include "core/record/loop/hotplug.h"

#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define FROM_KERNEL	1u		/* the group of the kernel's own uevents */
#define MESSAGE_SIZE	8192

void hotplug_open(struct hotplug *h, const struct cpus *watched, bool all)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK, .nl_groups = FROM_KERNEL };

	*h = (struct hotplug){ .all = all };
	vec_for(cpu, &watched->list)
		vec_push(&h->watched.list, *cpu);
	h->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (h->fd >= 0 && bind(h->fd, (struct sockaddr *)&from, sizeof(from))) {
		close(h->fd);
		h->fd = -1;
	}
}

static void found_cpu(struct hotplug *h, enum finding_code code, int cpu)
{
	char *where = xasprintf("CPU %d", cpu);

	findings_add(&h->found, code, 1, 0, where);
	free(where);
}

static void went_offline(struct hotplug *h, int cpu)
{
	if (!cpus_has(&h->watched, cpu))
		return;
	found_cpu(h, FINDING_CPU_OFFLINE, cpu);
	vec_push(&h->gone.list, cpu);
}

static void came_online(struct hotplug *h, int cpu)
{
	if (h->all && !cpus_has(&h->watched, cpu))
		found_cpu(h, FINDING_CPU_ONLINE, cpu);
}

static void on_message(struct hotplug *h, const char *message)
{
	char end;
	int cpu;

	if (sscanf(message, "offline@/devices/system/cpu/cpu%d%c", &cpu, &end) == 1)
		went_offline(h, cpu);
	else if (sscanf(message, "online@/devices/system/cpu/cpu%d%c", &cpu, &end) == 1)
		came_online(h, cpu);
}

void hotplug_read(struct hotplug *h)
{
	char message[MESSAGE_SIZE];
	ssize_t n;

	while (h->fd >= 0 && (n = recv(h->fd, message, sizeof(message) - 1, 0)) > 0) {
		message[n] = '\0';
		on_message(h, message);
	}
}

static bool was_reported(const struct hotplug *h, int cpu)
{
	vec_for(gone, &h->gone.list)
		if (*gone == cpu)
			return true;
	return false;
}

void hotplug_findings(struct hotplug *h, struct findings *out)
{
	struct cpus online;

	hotplug_read(h);
	if (h->watched.list.nr && !cpus_online(&online)) {
		vec_for(cpu, &h->watched.list)
			if (!cpus_has(&online, *cpu) && !was_reported(h, *cpu))
				went_offline(h, *cpu);
		cpus_release(&online);
	}
	findings_merge(out, &h->found);
}

void hotplug_close(struct hotplug *h)
{
	findings_release(&h->found);
	if (h->fd >= 0)
		close(h->fd);
	cpus_release(&h->watched);
	cpus_release(&h->gone);
	*h = (struct hotplug)HOTPLUG_INIT;
}
