/*
 * Bytes to be written in place of words, such as a real trace: debugfs files `payload`, for every CPU, and
 * `payloadN` for CPU N alone. Each area gets them once. Opening with O_TRUNC drops what was there.
 */
#include "pmu.h"

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define MAX_SIZE (64u << 20)

static struct payload common, of_cpu[NR_CPUS];
static DEFINE_MUTEX(payload_lock);

const struct payload *payload_for(int cpu)
{
	return cpu >= 0 && of_cpu[cpu].data ? &of_cpu[cpu] : &common;
}

static void drop(struct payload *p)
{
	vfree(p->data);
	*p = (struct payload){ 0 };
}

/* Make it @size bytes long. */
static int resize(struct payload *p, size_t size)
{
	u8 *data = vzalloc(size);

	if (!data)
		return -ENOMEM;
	if (p->data)
		memcpy(data, p->data, min(size, p->size));
	vfree(p->data);
	p->data = data;
	p->size = size;
	return 0;
}

static int payload_open(struct inode *inode, struct file *file)
{
	int err = 0;

	file->private_data = inode->i_private;
	mutex_lock(&payload_lock);
	if (areas_in_use())
		err = -EBUSY;
	else if (file->f_flags & O_TRUNC)
		drop(file->private_data);
	mutex_unlock(&payload_lock);
	return err;
}

static ssize_t payload_write(struct file *file, const char __user *from, size_t n, loff_t *at)
{
	struct payload *p = file->private_data;
	ssize_t ret = n;

	mutex_lock(&payload_lock);
	if (areas_in_use())
		ret = -EBUSY;
	else if (*at < 0 || *at + n > MAX_SIZE)
		ret = -EFBIG;
	else if (*at + n > p->size && resize(p, *at + n))
		ret = -ENOMEM;
	else if (copy_from_user(p->data + *at, from, n))
		ret = -EFAULT;
	else
		*at += n;
	mutex_unlock(&payload_lock);
	return ret;
}

static const struct file_operations payload_fops = {
	.owner = THIS_MODULE,
	.open = payload_open,
	.write = payload_write,
	.llseek = default_llseek,
};

void payload_files(struct dentry *dir)
{
	char name[32];
	int cpu;

	debugfs_create_file("payload", 0200, dir, &common, &payload_fops);
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "payload%d", cpu);
		debugfs_create_file(name, 0200, dir, &of_cpu[cpu], &payload_fops);
	}
}

void payload_free(void)
{
	int cpu;

	drop(&common);
	for_each_possible_cpu(cpu)
		drop(&of_cpu[cpu]);
}
